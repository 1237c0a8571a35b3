# What everything of ours is compiled with.
add_library(sotto_flags INTERFACE)
target_compile_options(sotto_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Werror
  # g++ 12 warns of overlap in "text" + std::string (its bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # One rounding for each operation, on every machine: the model's bytes depend on it.
  -ffp-contract=off
  # The same object from every checkout: a compiler cache then serves them all.
  -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
# For targets of many large files: g++ tidies its memory from half a gigabyte on, not from 128 MB, and is done 6% sooner.
set(SOTTO_ROOMY $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>)
if(SOTTO_SANITIZE)
  target_compile_options(sotto_flags INTERFACE -fsanitize=${SOTTO_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(sotto_flags INTERFACE -fsanitize=${SOTTO_SANITIZE})
  # Instrumented, g++ 12 warns of overflows that are not there; the release build is the one that must be clean.
  target_compile_options(sotto_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-w>)
  if(SOTTO_SANITIZE MATCHES "undefined")
    target_compile_options(sotto_flags INTERFACE -fno-sanitize-recover=undefined)
  endif()
endif()
if(SOTTO_FUZZ)
  # Coverage in every layer, so that the fuzzer sees where its inputs lead.
  target_compile_options(sotto_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
