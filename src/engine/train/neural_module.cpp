#include "engine/train/neural_module.h"

#include <dlfcn.h>
#include <fmt/core.h>

namespace sotto::engine {

namespace fs = std::filesystem;

namespace {

constexpr const char* module_file = "libsotto_neural.so";

std::string last_complaint() {
  const char* text = ::dlerror();
  return text == nullptr ? "no reason given" : text;
}

}  // namespace

std::vector<fs::path> neural_module_places(const fs::path& program) {
  const fs::path folder = program.parent_path();
  return {folder / module_file, folder.parent_path() / module_file,
          folder.parent_path() / "lib" / "sotto" / module_file};
}

Result<const NeuralModule*> open_neural_module() {
  std::error_code problem;
  const fs::path program = fs::read_symlink("/proc/self/exe", problem);
  if (problem)
    return fail(Code::io, "neural models: the program cannot find its own folder (is /proc mounted?)");
  return open_neural_module(neural_module_places(program));
}

Result<const NeuralModule*> open_neural_module(const std::vector<fs::path>& places) {
  for (const fs::path& place : places) {
    std::error_code ignored;
    if (!fs::exists(place, ignored)) continue;
    void* library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      return fail(Code::io,
                  fmt::format("{}: the neural module cannot be opened ({}): install libtorch (Debian: "
                              "libtorch1.13) or build again",
                              place.string(), last_complaint()));
    void* symbol = ::dlsym(library, neural_symbol);
    if (symbol == nullptr)
      return fail(
          Code::incompatible,
          fmt::format("{}: the neural module is of another version than the program: build both again",
                      place.string()));
    return reinterpret_cast<NeuralFactory>(symbol)();
  }
  return fail(Code::not_found,
              fmt::format("neural models need {} beside the program, and it is not there: build it with "
                          "libtorch-dev installed (./dev build)",
                          module_file));
}

}  // namespace sotto::engine
