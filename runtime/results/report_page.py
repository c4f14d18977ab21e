# SPDX-License-Identifier: BSD-3-Clause
"""The page of the report: self-contained, without external resources."""

PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="flexforge">
<title>{{ title }}</title>
<style>
:root { --ink: #1d242c; --soft: #5b6672; --line: #dfe4ea; --tint: #f5f7f9; --accent: #1f5fa8; }
* { box-sizing: border-box; }
body { margin: 0; background: #eceff2; color: var(--ink);
  font: 15px/1.5 "Segoe UI", "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif; }
main { max-width: 1120px; margin: 28px auto; background: #fff; padding: 40px 48px 48px;
  border: 1px solid var(--line); border-radius: 4px; }
header { border-bottom: 3px solid var(--accent); padding-bottom: 14px; margin-bottom: 22px; }
h1 { font-size: 27px; line-height: 1.2; margin: 0 0 6px; font-weight: 650; }
h2 { font-size: 18px; margin: 38px 0 12px; font-weight: 650; }
.meta { color: var(--soft); font-size: 14px; display: flex; flex-wrap: wrap; gap: 4px 18px; }
.status { font-weight: 650; }
.finished { color: #1e7f45; } .interrupted, .running { color: #a86500; } .failed { color: #b3261e; }
.note { border-left: 4px solid #d99a2b; background: #fdf7ea; padding: 9px 14px; margin: 14px 0; }
.note.failed { border-color: #b3261e; background: #fcf0ef; color: var(--ink); }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(190px, 1fr));
  gap: 1px; background: var(--line); border: 1px solid var(--line); }
.figures div { background: #fff; padding: 11px 14px; }
.figures dt, .figures .name { color: var(--soft); font-size: 13px; }
.figures .value { font-size: 20px; font-weight: 600; font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere; }
.figures .unit { font-size: 14px; font-weight: 400; color: var(--soft); }
figure { margin: 0 0 18px; }
figure img { width: 100%; height: auto; display: block; }
figcaption { color: var(--soft); font-size: 13.5px; margin-top: 4px; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(440px, 1fr)); gap: 14px; }
.plots figure { border: 1px solid var(--line); padding: 8px 10px 4px; margin: 0; }
.modes { display: grid; grid-template-columns: repeat(auto-fill, minmax(440px, 1fr)); gap: 14px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: left; padding: 5px 12px 5px 0; border-bottom: 1px solid var(--line);
  vertical-align: top; overflow-wrap: anywhere; }
th { color: var(--soft); font-weight: 600; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.columns { display: grid; grid-template-columns: 1fr 1fr; gap: 0 44px; }
.bar { background: var(--tint); height: 11px; width: 100%; min-width: 120px; margin-top: 5px; }
.bar i { display: block; height: 100%; background: var(--accent); min-width: 1px; }
code { font: 13px/1.4 ui-monospace, Consolas, "Liberation Mono", monospace; }
footer { margin-top: 36px; padding-top: 12px; border-top: 1px solid var(--line);
  color: var(--soft); font-size: 13px; }
@media (max-width: 760px) { main { padding: 22px 18px; margin: 0; }
  .columns, .plots, .modes { grid-template-columns: 1fr; } }
@media print { body { background: #fff; }
  main { border: 0; margin: 0; padding: 0; max-width: none; }
  figure, tr { break-inside: avoid; } h2 { break-after: avoid; } }
</style>
</head>
<body>
<main>
<header>
<h1>{{ title }}</h1>
<div class="meta">
<span class="status {{ status }}">{{ status_text }}</span>
{% for item in meta %}<span>{{ item }}</span>
{% endfor %}</div>
</header>
{% if reason %}<p class="note failed">{{ reason }}</p>
{% endif %}
{% for warning in warnings %}<p class="note">{{ warning }}</p>
{% endfor %}
{% if figures %}
<section class="figures">
{% for name, value, unit in figures %}<div><span class="name">{{ name }}</span><br>
<span class="value">{{ value }}{% if unit %}
<span class="unit">{{ unit }}</span>{% endif %}</span></div>
{% endfor %}</section>
{% endif %}
{% if pictures %}
<h2>{{ "Deformed parts" if bodies|length > 1 else "Deformed part" }}</h2>
{% for picture in pictures %}<figure><img alt="{{ picture.caption }}" src="{{ picture.source }}">
<figcaption>{{ picture.caption }}</figcaption></figure>
{% endfor %}
{% endif %}
{% if campbell %}
<h2>Campbell diagram</h2>
<figure><img alt="Campbell diagram" src="{{ campbell.source }}">
<figcaption>Frequencies seen in the turning frame. Triangles up run forward around the axis there, \
triangles down backward, dots stand; rings are critical speeds, crosses grow.</figcaption></figure>
{% for line in campbell.instabilities %}<p class="note failed">{{ line }}</p>
{% endfor %}
{% for heads, rows in ((campbell.critical_heads, campbell.criticals),
                       (campbell.heads, campbell.rows)) %}{% if rows %}
<table><thead><tr>{% for head in heads %}<th class="number">{{ head }}</th>{% endfor %}
</tr></thead><tbody>
{% for row in rows %}<tr>{% for cell in row %}<td class="number">{{ cell }}</td>{% endfor %}</tr>
{% endfor %}</tbody></table>
{% endif %}{% endfor %}
{% endif %}
{% if modes %}
<h2>Natural frequencies{% if campbell %} at the last speed{% endif %}</h2>
<table><thead><tr><th>Mode</th><th class="number">Frequency [Hz]</th>
<th class="number">Angular frequency [rad/s]</th></tr></thead><tbody>
{% for number, hertz, radians in modes %}<tr><td>{{ number }}</td>
<td class="number">{{ hertz }}</td>
<td class="number">{{ radians }}</td></tr>
{% endfor %}</tbody></table>
{% endif %}
{% if shapes %}
<h2>Mode shapes</h2>
<div class="modes">
{% for picture in shapes %}<figure><img alt="{{ picture.caption }}" src="{{ picture.source }}">
<figcaption>{{ picture.caption }}</figcaption></figure>
{% endfor %}</div>
{% endif %}
{% if plots %}
<h2>Probes over time</h2>
<div class="plots">
{% for plot in plots %}<figure><img alt="{{ plot.caption }}" src="{{ plot.source }}"></figure>
{% endfor %}</div>
{% endif %}
{% if probes %}
<h2>Probes</h2>
<table><thead><tr>{% for head in probe_heads %}
<th{% if not loop.first %} class="number"{% endif %}>{{ head }}</th>{% endfor %}</tr></thead><tbody>
{% for row in probes %}<tr>{% for cell in row %}
<td{% if not loop.first %} class="number"{% endif %}>{{ cell }}</td>{% endfor %}</tr>
{% endfor %}</tbody></table>
{% endif %}
{% if timings %}
<h2>Time spent</h2>
<table><thead><tr><th>Phase</th><th class="number">Seconds</th><th class="number">Share</th>
<th></th></tr></thead><tbody>
{% for phase, seconds, share in timings %}<tr><td>{{ phase }}</td>
<td class="number">{{ seconds }}</td><td class="number">{{ share }} %</td>
<td><div class="bar"><i style="width:{{ share }}%"></i></div></td></tr>
{% endfor %}</tbody></table>
{% endif %}
<div class="columns">
{% for heading, rows in tables %}{% if rows %}<section><h2>{{ heading }}</h2><table><tbody>
{% for name, value in rows %}<tr><th>{{ name }}</th><td>{{ value }}</td></tr>
{% endfor %}</tbody></table></section>
{% endif %}{% endfor %}</div>
<footer>{{ footer }}</footer>
</main>
</body>
</html>
"""
