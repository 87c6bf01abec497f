# forerun_library / forerun_tool / forerun_plugin: one call per component; together they are the map of the code.
#
#   forerun_library(NAME DIR <folder> MAY_USE <libraries...> [EXTERNAL <packages...>] [CATALOG <kinds...>])
#
# MAY_USE and EXTERNAL are also read by scripts/check_layers.py: an include that the line does not
# allow fails CI, because include paths alone do not hold layers apart.
# Sources are the *.cpp of DIR itself, not of its sub-folders.

set_property(GLOBAL PROPERTY FORERUN_MAP "")

# Packages a component may name in EXTERNAL, the target each one is, and how its headers begin (for check_layers.py).
set(FORERUN_EXTERNAL_json nlohmann_json::nlohmann_json)  # headers: nlohmann/
set(FORERUN_EXTERNAL_yaml forerun::yaml)  # headers: yaml-cpp/
set(FORERUN_EXTERNAL_toml forerun::toml)  # headers: toml++/
set(FORERUN_EXTERNAL_fmt forerun::fmt)  # headers: fmt/
set(FORERUN_EXTERNAL_program_options forerun::program_options)  # headers: boost/program_options
set(FORERUN_EXTERNAL_libdw forerun::libdw)  # headers: elfutils/
set(FORERUN_EXTERNAL_threads Threads::Threads)
set(FORERUN_EXTERNAL_clang forerun::clang)  # headers: clang/ clang-c/ llvm/ llvm-c/
set(FORERUN_EXTERNAL_clang_tidy forerun::clang_tidy)  # headers: clang-tidy/
set(FORERUN_EXTERNAL_tree_sitter forerun::tree_sitter)  # headers: tree_sitter/
set(FORERUN_EXTERNAL_torch forerun::torch)  # headers: torch/ ATen/ c10/ cuda

function(_forerun_link target scope)
  foreach(library IN LISTS ARG_MAY_USE)
    target_link_libraries(${target} ${scope} forerun_${library})
  endforeach()
  foreach(package IN LISTS ARG_EXTERNAL)
    if(NOT DEFINED FORERUN_EXTERNAL_${package})
      message(FATAL_ERROR "${target}: unknown EXTERNAL '${package}' (see cmake/Layers.cmake)")
    endif()
    # A front end's parser stays inside it, and LibTorch inside the libraries that run it: their headers and flags
    # (-fno-rtti, another fmt) must not reach whoever links them.
    set(package_scope ${scope})
    if(package MATCHES "^(clang|tree_sitter|torch)$" AND NOT scope STREQUAL "INTERFACE")
      set(package_scope PRIVATE)
    endif()
    target_link_libraries(${target} ${package_scope} ${FORERUN_EXTERNAL_${package}})
  endforeach()
endfunction()

function(forerun_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "DIR" "MAY_USE;EXTERNAL;CATALOG")
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${ARG_DIR}/*.cpp)
  set(target forerun_${name})
  if(NOT sources AND NOT ARG_CATALOG)
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${PROJECT_SOURCE_DIR})
    _forerun_link(${target} INTERFACE)
    return()
  endif()
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE forerun_warnings)
  _forerun_link(${target} PUBLIC)
  foreach(kind IN LISTS ARG_CATALOG)
    forerun_catalog(${target} ${kind})
  endforeach()
endfunction()

function(forerun_tool name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "DIR" "MAY_USE;EXTERNAL")
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${ARG_DIR}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE forerun_warnings)
  _forerun_link(${name} PRIVATE)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()

# A shared object that another program loads, lib/libNAME.so; left out where a package it extends was not found.
function(forerun_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "DIR" "MAY_USE;EXTERNAL")
  if(FORERUN_SANITIZE)
    return()  # the program that would load it is not built with sanitizers
  endif()
  foreach(package IN LISTS ARG_EXTERNAL)
    if(NOT TARGET ${FORERUN_EXTERNAL_${package}})
      message(STATUS "  plugin ${name}: left out, ${package} was not found")
      return()
    endif()
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${ARG_DIR}/*.cpp)
  add_library(${name} MODULE ${sources})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE forerun_warnings)
  _forerun_link(${name} PRIVATE)
  set_target_properties(${name} PROPERTIES PREFIX lib LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
endfunction()

# forerun_test(NAME DIR <folder> LABEL <fast|torch|emulated|corpus|gpu> USES <libraries...>)
# One GoogleTest program from DIR/*_test.cpp; FORERUN_SOURCE_DIR and FORERUN_BINARY_DIR are macros in it.
function(forerun_test name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "DIR;LABEL" "USES;EXTERNAL")
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${ARG_DIR}/*_test.cpp)
  if(NOT sources OR NOT BUILD_TESTING)
    return()
  endif()
  foreach(library IN LISTS ARG_USES)
    if(NOT TARGET forerun_${library})
      message(STATUS "  test ${name}: left out, ${library} is not built here")
      return()
    endif()
  endforeach()
  set(ARG_MAY_USE ${ARG_USES} test_support)
  add_executable(${name} ${sources})
  target_compile_definitions(${name} PRIVATE FORERUN_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             FORERUN_BINARY_DIR="${PROJECT_BINARY_DIR}")
  target_link_libraries(${name} PRIVATE GTest::gtest_main GTest::gmock forerun_warnings)
  _forerun_link(${name} PRIVATE)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  gtest_discover_tests(${name} PROPERTIES LABELS ${ARG_LABEL} DISCOVERY_MODE PRE_TEST
                       WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endfunction()
