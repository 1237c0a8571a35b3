#include "device/asked_attributes.h"

#include <fmt/core.h>

#include <algorithm>

#include "device/held_task.h"

namespace sotto::device {

namespace {

Status check_asked(const Attributes& asked, const Attribute& one) {
  if (std::ranges::find(asked, one) != asked.end()) return Done{};
  if (std::ranges::find(asked, one.first, &Attribute::first) == asked.end())
    return fail(Code::usage,
                "no task on this device asks for an attribute of this name: they ask for " + in_a_row(asked));
  return fail(Code::usage,
              fmt::format("the tasks on this device do not know this value of '{}': choose from {}",
                          one.first, in_a_row(asked, one.first)));
}

}  // namespace

Result<Attributes> asked_attributes(DeviceStore& kept) {
  Attributes asked;
  SOTTO_TRY(const HeldCatalogues held, held_catalogues(kept));
  for (const auto& [task, catalogue] : held) {
    if (catalogue->contexts == nullptr) continue;
    for (const ContextDimension& dimension : catalogue->contexts->dimensions) {
      if (!dimension.is_attribute()) continue;
      for (const std::string& value : dimension.values) {
        const Attribute one{dimension.name, value};
        if (std::ranges::find(asked, one) == asked.end()) asked.push_back(one);
      }
    }
  }
  return asked;
}

std::string in_a_row(const Attributes& asked, const std::string& name) {
  constexpr std::size_t most = 32;
  std::vector<std::string> words;
  for (const auto& [attribute, value] : asked) {
    const std::string& word = name.empty() ? attribute : value;
    if ((name.empty() || attribute == name) && std::ranges::find(words, word) == words.end())
      words.push_back(word);
  }
  std::string text;
  for (std::size_t n = 0; n < std::min(words.size(), most); ++n) text += (n == 0 ? "" : ", ") + words[n];
  return words.size() <= most ? text : text + fmt::format(" and {} more", words.size() - most);
}

Status say_attributes(Vault& vault, std::span<const Attribute> said) {
  SOTTO_TRY(const Attributes asked, asked_attributes(vault));
  for (const Attribute& one : said)
    if (!one.second.empty() && !asked.empty()) SOTTO_TRY_DONE(check_asked(asked, one));
  return vault.say(said);
}

}  // namespace sotto::device
