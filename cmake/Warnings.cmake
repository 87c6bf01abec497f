add_library(forerun_warnings INTERFACE)
target_compile_options(forerun_warnings INTERFACE -Wall -Wextra -Wno-missing-field-initializers
                                                  $<$<BOOL:${FORERUN_WERROR}>:-Werror>)
