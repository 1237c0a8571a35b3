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

Error not_there() {
  return fail(Code::not_found,
              fmt::format("neural models need {} beside the program, and it is not there: build it with "
                          "libtorch-dev installed (./dev build)",
                          module_file));
}

Result<std::vector<fs::path>> usual_places() {
  std::error_code problem;
  const fs::path program = fs::read_symlink("/proc/self/exe", problem);
  if (problem)
    return fail(Code::io, "neural models: the program cannot find its own folder (is /proc mounted?)");
  return neural_module_places(program);
}

}  // namespace

std::vector<fs::path> neural_module_places(const fs::path& program) {
  const fs::path folder = program.parent_path();
  return {folder / module_file, folder.parent_path() / module_file,
          folder.parent_path() / "lib" / "sotto" / module_file};
}

Result<const NeuralModule*> open_neural_module() {
  SOTTO_TRY(const std::vector<fs::path> places, usual_places());
  return open_neural_module(places);
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
  return not_there();
}

Status NeuralTasks::ready() const {
  if (broken_) {
    const auto module = open();
    if (!module.ok()) return module.error();
  }
  SOTTO_TRY(const std::vector<fs::path> places, usual_places());
  std::error_code ignored;
  for (const fs::path& place : places)
    if (fs::exists(place, ignored)) return Done{};
  return not_there();
}

Result<const NeuralModule*> NeuralTasks::open() const {
  auto module = open_neural_module();
  broken_ = !module.ok();
  return module;
}

Result<std::unique_ptr<LocalTask>> NeuralTasks::start_fed_multvae(const DeviceHistories& histories,
                                                                  std::size_t catalogue,
                                                                  const MultVaeOptions& options) const {
  SOTTO_TRY(const NeuralModule* module, open());
  return module->start_fed_multvae(histories, catalogue, options);
}

Result<std::unique_ptr<LocalTask>> NeuralTasks::start_fed_neumf(const DeviceHistories& histories,
                                                                std::size_t catalogue,
                                                                const NeuMfOptions& options) const {
  SOTTO_TRY(const NeuralModule* module, open());
  return module->start_fed_neumf(histories, catalogue, options);
}

Result<std::unique_ptr<LocalTask>> NeuralTasks::start_classifier(const Examples& examples, const Dealt& hands,
                                                                 const ClassifierOptions& options) const {
  SOTTO_TRY(const NeuralModule* module, open());
  return module->start_classifier(examples, hands, options);
}

}  // namespace sotto::engine
