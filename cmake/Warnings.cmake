add_library(forerun_warnings INTERFACE)
target_compile_options(forerun_warnings INTERFACE -Wall -Wextra -Wno-missing-field-initializers
                                                  $<$<BOOL:${FORERUN_WERROR}>:-Werror>)
# GCC 12 sees overlapping copies in std::string's operator+ where there are none (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(forerun_warnings INTERFACE -Wno-restrict)
endif()
