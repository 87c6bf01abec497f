# FORERUN_SANITIZE=address,undefined builds everything of ours with those sanitizers.
set(FORERUN_SANITIZE "" CACHE STRING "comma-separated list given to -fsanitize")
if(FORERUN_SANITIZE)
  add_compile_definitions(FORERUN_SANITIZED)
  add_compile_options(-fsanitize=${FORERUN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # The Clang front end is built without RTTI, as LLVM is, and the vtables it shares with the rest (a shared_ptr's
  # control block) then name no type: UBSan's vptr check takes each for a corrupted object.
  add_compile_options(-fno-sanitize=vptr)
  add_link_options(-fsanitize=${FORERUN_SANITIZE})
endif()
