# SPDX-License-Identifier: BSD-3-Clause
# Package of flexforge for CMake: the target flexforge::headers, and flexforge_add_kernels().
#
#   find_package(flexforge CONFIG REQUIRED)      # -Dflexforge_DIR=$(flexforge --cmake-dir)
#   flexforge_add_kernels(hex8 ELEMENT hex8 TERMS stiffness mass LANES 1 8)
#   target_link_libraries(program PRIVATE hex8)
cmake_minimum_required(VERSION 3.15...3.31)

get_filename_component(flexforge_INCLUDE_DIR "${CMAKE_CURRENT_LIST_DIR}/../include" ABSOLUTE)
if(NOT EXISTS "${flexforge_INCLUDE_DIR}/flexforge.h")
  set(flexforge_FOUND FALSE)
  set(flexforge_NOT_FOUND_MESSAGE "flexforge.h is not in ${flexforge_INCLUDE_DIR}")
  return()
endif()

file(STRINGS "${flexforge_INCLUDE_DIR}/flexforge.h" flexforge_ABI REGEX "^#define FLEXFORGE_ABI ")
string(REGEX REPLACE ".* " "" flexforge_ABI "${flexforge_ABI}")

if(NOT TARGET flexforge::headers)
  add_library(flexforge::headers INTERFACE IMPORTED)
  set_target_properties(flexforge::headers PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${flexforge_INCLUDE_DIR}")
endif()

# A static library of the kernels of one element, written by `flexforge generate` when building.
#
#   flexforge_add_kernels(NAME [ELEMENT name or file.toml] [TERMS term..] [LANES n..]
#                         [SCALAR double|float])
#
# Without TERMS the library has stiffness and mass; TERMS all means every term of the element.
#
# NAME is the target, and what the names of kernels and files begin with. Kernels take elements that
# are turned over without a word: NAME_check_elements(count, coordinates, &first) finds them.
function(flexforge_add_kernels name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ELEMENT;SCALAR" "TERMS;LANES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "flexforge_add_kernels: unknown: ${arg_UNPARSED_ARGUMENTS}; "
      "expected ELEMENT, TERMS, LANES or SCALAR")
  endif()
  if(NOT CMAKE_C_COMPILER_LOADED)
    message(FATAL_ERROR "flexforge_add_kernels: kernels are C; expected project(... LANGUAGES C ...)")
  endif()
  find_program(FLEXFORGE_EXECUTABLE flexforge DOC "The compiler of kernels")
  if(NOT FLEXFORGE_EXECUTABLE)
    message(FATAL_ERROR "flexforge_add_kernels: flexforge is not on the PATH; "
      "activate its environment or set FLEXFORGE_EXECUTABLE")
  endif()
  if(NOT arg_ELEMENT)
    set(arg_ELEMENT "${name}")
  endif()
  set(depends)
  if(arg_ELEMENT MATCHES "\\.toml$")
    get_filename_component(arg_ELEMENT "${arg_ELEMENT}" ABSOLUTE)
    set(depends "${arg_ELEMENT}")
  endif()
  set(options --name "${name}")
  if(arg_TERMS)
    string(REPLACE ";" "," terms "${arg_TERMS}")
    list(APPEND options --terms "${terms}")
  endif()
  if(arg_LANES)
    string(REPLACE ";" "," lanes "${arg_LANES}")
    list(APPEND options --lanes "${lanes}")
  endif()
  if(arg_SCALAR)
    list(APPEND options --scalar "${arg_SCALAR}")
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  set(sources "${folder}/${name}_kernels.c" "${folder}/${name}_table.c")
  add_custom_command(
    OUTPUT ${sources} "${folder}/${name}_kernels.h"
    COMMAND "${FLEXFORGE_EXECUTABLE}" generate "${arg_ELEMENT}" -o "${folder}" ${options}
    DEPENDS ${depends} "${flexforge_INCLUDE_DIR}/flexforge.h"
    COMMENT "Kernels of ${arg_ELEMENT}"
    VERBATIM)
  add_library(${name} STATIC ${sources})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${name} PUBLIC "${folder}")
endfunction()
