# Clang as one shared library (clang-cpp, LLVM-19): the static ones would cost gigabytes of link time.
find_program(FORERUN_LLVM_CONFIG NAMES llvm-config-${FORERUN_LLVM_VERSION})
if(NOT FORERUN_LLVM_CONFIG)
  return()
endif()
execute_process(COMMAND ${FORERUN_LLVM_CONFIG} --includedir OUTPUT_VARIABLE llvm_include OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${FORERUN_LLVM_CONFIG} --libdir OUTPUT_VARIABLE llvm_lib OUTPUT_STRIP_TRAILING_WHITESPACE)
find_library(FORERUN_CLANG_CPP NAMES clang-cpp PATHS ${llvm_lib} NO_DEFAULT_PATH)
find_library(FORERUN_LLVM NAMES LLVM-${FORERUN_LLVM_VERSION} LLVM PATHS ${llvm_lib} NO_DEFAULT_PATH)
if(NOT FORERUN_CLANG_CPP OR NOT FORERUN_LLVM OR NOT EXISTS ${llvm_include}/clang/Tooling/Tooling.h)
  return()
endif()
add_library(forerun_clang INTERFACE)
add_library(forerun::clang ALIAS forerun_clang)
target_include_directories(forerun_clang SYSTEM INTERFACE ${llvm_include})
target_link_libraries(forerun_clang INTERFACE ${FORERUN_CLANG_CPP} ${FORERUN_LLVM})
# LLVM is built without RTTI; classes that derive from its own must match.
target_compile_options(forerun_clang INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
target_compile_definitions(forerun_clang INTERFACE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS
                           FORERUN_CLANG_RESOURCE_DIR="${llvm_lib}/clang/${FORERUN_LLVM_VERSION}")

# Plugins of clang-tidy: its headers come with Clang's on Debian; what they declare is in the program that loads them.
if(EXISTS ${llvm_include}/clang-tidy/ClangTidyCheck.h)
  add_library(forerun_clang_tidy INTERFACE)
  add_library(forerun::clang_tidy ALIAS forerun_clang_tidy)
  target_link_libraries(forerun_clang_tidy INTERFACE forerun_clang)
endif()
