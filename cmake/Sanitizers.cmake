# FORERUN_SANITIZE=address,undefined builds everything of ours with those sanitizers.
set(FORERUN_SANITIZE "" CACHE STRING "comma-separated list given to -fsanitize")
if(FORERUN_SANITIZE)
  add_compile_options(-fsanitize=${FORERUN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FORERUN_SANITIZE})
endif()
