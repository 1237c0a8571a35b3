// What the vault's person says of themself: one record, so that its file shows neither how much it is nor
// which of it changes.
#include <fmt/core.h>

#include <algorithm>

#include "base/codec.h"
#include "data/person_attributes.h"
#include "device/vault.h"

namespace sotto::device {

namespace {

constexpr std::uint8_t attributes_version = 1;
constexpr std::size_t most_letters = 1024;

bool is_word(const std::string& text) {
  const auto is_control = [](char letter) {
    return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f';
  };
  return text.size() <= most_letters && std::ranges::none_of(text, is_control);
}

Status check_words(const Attribute& one) {
  if (!one.first.empty() && is_word(one.first) && is_word(one.second)) return Done{};
  return fail(Code::usage, fmt::format("an attribute has a name and a value, each of 1 to {} letters on one "
                                       "line",
                                       most_letters));
}

std::string encode_attributes(const Attributes& attributes) {
  Writer out;
  out.number(attributes_version).number(static_cast<std::uint32_t>(attributes.size()));
  for (const auto& [name, value] : attributes) out.text(name).text(value);
  return {reinterpret_cast<const char*>(out.view().data()), out.size()};
}

}  // namespace

Result<Attributes> Vault::attributes() {
  SOTTO_TRY(const std::optional<std::string> kept, records_.get(RecordKind::attributes, ""));
  Attributes attributes;
  if (!kept) return attributes;
  Reader in(std::as_bytes(std::span(*kept)));
  if (in.number<std::uint8_t>() != attributes_version && !in.spoiled())
    return fail(Code::incompatible,
                fmt::format("{}: what is said of its person was written by another version: use the program "
                            "that wrote it, or a newer one",
                            path()));
  const auto count = in.number<std::uint32_t>();
  for (std::uint32_t n = 0; n < count && !in.spoiled(); ++n) {
    std::string name = in.text(most_letters);
    attributes.emplace_back(std::move(name), in.text(most_letters));
  }
  if (!in.finished()) return damaged(RecordKind::attributes);
  return attributes;
}

Status Vault::say(std::span<const Attribute> attributes) {
  return records_.transaction([&]() -> Status {
    SOTTO_TRY(Attributes said, this->attributes());
    for (const Attribute& one : attributes) {
      SOTTO_TRY_DONE(check_words(one));
      std::erase_if(said, [&](const Attribute& before) { return before.first == one.first; });
      if (!one.second.empty()) said.push_back(one);
    }
    if (said.size() > most_attributes)
      return fail(Code::usage, fmt::format("a person says up to {} things of themself", most_attributes));
    if (said.empty()) return records_.remove(RecordKind::attributes, "");
    return records_.put(RecordKind::attributes, "", encode_attributes(said));
  });
}

}  // namespace sotto::device
