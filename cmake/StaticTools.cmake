# A tool that answers within milliseconds would spend a third of them on loading shared libraries: forerun_link_statically(target) links
# it without any. FORERUN_STATIC_TOOLS is switched off where a library has no static form here, and by sanitizers, which bring shared ones.
#
# The packages' own targets are behind forerun::yaml, forerun::program_options and forerun::fmt, which stand for the archives in the link
# of a target with the property FORERUN_STATIC, and for the shared libraries in every other.
include(CheckCXXSourceCompiles)
find_library(FORERUN_STATIC_YAML libyaml-cpp.a)
find_library(FORERUN_STATIC_PROGRAM_OPTIONS libboost_program_options.a)

set(CMAKE_REQUIRED_LINK_OPTIONS -static)
set(CMAKE_REQUIRED_FLAGS -fkeep-inline-functions)  # GCC's
check_cxx_source_compiles("#include <iostream>\nint main() { std::cout << 1; }" FORERUN_LINKS_STATICALLY)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
unset(CMAKE_REQUIRED_FLAGS)

set(default OFF)
if(FORERUN_LINKS_STATICALLY AND FORERUN_STATIC_YAML AND FORERUN_STATIC_PROGRAM_OPTIONS AND NOT FORERUN_SANITIZE)
  set(default ON)
endif()
option(FORERUN_STATIC_TOOLS "link forerun-estimate without shared libraries" ${default})

function(_forerun_choice name shared static)
  add_library(forerun_${name} INTERFACE)
  add_library(forerun::${name} ALIAS forerun_${name})
  target_link_libraries(forerun_${name} INTERFACE $<IF:$<BOOL:$<TARGET_PROPERTY:FORERUN_STATIC>>,${static},${shared}>)
endfunction()

# Debian has no static fmt. Its headers hold all of it: one source with every inline function kept is the library.
if(FORERUN_STATIC_TOOLS)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/fmt.cpp CONTENT "#define FMT_HEADER_ONLY 1\n#include <fmt/format.h>\n")
  add_library(forerun_static_fmt STATIC EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/generated/fmt.cpp)
  target_compile_options(forerun_static_fmt PRIVATE -fkeep-inline-functions)
  target_include_directories(forerun_static_fmt PUBLIC $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
endif()

function(forerun_link_statically target)
  if(FORERUN_STATIC_TOOLS AND TARGET ${target})
    set_target_properties(${target} PROPERTIES FORERUN_STATIC ON)
    target_link_options(${target} PRIVATE -static)
  endif()
endfunction()
