// A model's options between a person's configuration, the message and the model's own struct: one function
// that visits them by name does all three.
//
// Laws: what write() put into a message read() gives back; a message with an option that the model does not
// have, or has in another kind, or twice, is refused by name.
#pragma once

#include <any>

#include "fed/models/task_model.h"

namespace sotto::fed {

// Puts every visited option into the message.
class OptionWriter final : public TaskOptions {
 public:
  explicit OptionWriter(v1::TaskSpec& spec) : spec_(spec) {}
  void whole(const char* key, std::uint32_t& value) override;
  void whole_if_any(const char* key, std::uint32_t& value) override {
    if (value != 0) whole(key, value);
  }
  void real(const char* key, float& value) override;
  void choice(const char* key, std::initializer_list<const char*> words, std::size_t& place) override;
  void wholes(const char* key, std::vector<std::uint32_t>& values) override;
  void text(const char* key, std::string& value) override;

 private:
  v1::TaskSpec& spec_;
};

// Takes them out of it again.
class OptionReader final : public TaskOptions {
 public:
  explicit OptionReader(const v1::TaskSpec& spec)
      : spec_(spec), taken_(static_cast<std::size_t>(spec.options_size()), false) {}
  void whole(const char* key, std::uint32_t& value) override;
  void whole_if_any(const char* key, std::uint32_t& value) override;
  void real(const char* key, float& value) override;
  void choice(const char* key, std::initializer_list<const char*> words, std::size_t& place) override;
  void wholes(const char* key, std::vector<std::uint32_t>& values) override;
  void text(const char* key, std::string& value) override;
  // Whether all that was asked for was there, and nothing else.
  [[nodiscard]] Status done() const;

 private:
  [[nodiscard]] const v1::TaskOption* find(const char* key, v1::TaskOption::ValueCase kind);
  // One that must be there.
  [[nodiscard]] const v1::TaskOption* take(const char* key, v1::TaskOption::ValueCase kind);

  const v1::TaskSpec& spec_;
  std::vector<bool> taken_;
  std::string missing_;
};

// For a model whose options are fields of the message.
[[nodiscard]] inline Status check_no_options(const v1::TaskSpec& spec) { return OptionReader(spec).done(); }

// For a model whose options are `visit(TaskOptions&, Options&)`.
#ifdef SOTTO_NO_SERVER  // a device reads no configuration
template <class Options, void (*visit)(TaskOptions&, Options&)>
inline constexpr std::nullptr_t configure_by = nullptr;
#else
template <class Options, void (*visit)(TaskOptions&, Options&)>
void configure_by(TaskOptions& keys, v1::TaskSpec& spec) {
  Options options;
  visit(keys, options);
  OptionWriter writer(spec);
  visit(writer, options);
}
#endif
template <class Options, void (*visit)(TaskOptions&, Options&)>
[[nodiscard]] Status read_by(const v1::TaskSpec& spec, Task& task) {
  Options options;
  OptionReader reader(spec);
  visit(reader, options);
  task.options = options;
  return reader.done();
}

}  // namespace sotto::fed
