# papers/ as a source: its TOML and TSV files as string literals, written anew when one of them changes.
#
# Included, it defines sotto_embed_papers(<target>); run as a script (-P), it writes OUT from the files below ROOT.
if(CMAKE_SCRIPT_MODE_FILE)
  file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/papers/*.toml ${ROOT}/papers/*.tsv)
  set(entries "")
  set(count 0)
  foreach(name ${files})
    file(READ ${ROOT}/${name} text)
    string(APPEND entries "    PaperFile{\"${name}\", R\"papers(${text})papers\"},\n")
    math(EXPR count "${count} + 1")
  endforeach()
  file(WRITE ${OUT} "#include \"lab/reproduce/paper_files.h\"\n\n#include <array>\n\nnamespace sotto::lab {\n
std::span<const PaperFile> paper_files() {
  static constexpr std::array<PaperFile, ${count}> files{\n${entries}  };\n  return files;\n}\n\n}  // namespace sotto::lab\n")
  return()
endif()

function(sotto_embed_papers target)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/papers/*.toml ${CMAKE_SOURCE_DIR}/papers/*.tsv)
  set(out ${CMAKE_BINARY_DIR}/papers/paper_files.cpp)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR} -DOUT=${out} -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
  target_sources(${target} PRIVATE ${out})
endfunction()
