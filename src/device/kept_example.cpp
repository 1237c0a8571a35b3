#include "device/kept_example.h"

#include <fmt/core.h>

#include "base/codec.h"
#include "fed/models/task.h"
#include "fed/wire/catalogue.h"

namespace sotto::device {

namespace {

constexpr std::uint32_t most_label = 255;
constexpr std::size_t most_values = std::size_t{1} << 24;
enum : std::uint8_t { not_marked_or_not, without_mark, with_mark };

}  // namespace

Status check(const KeptExample& one) {
  if (!is_plain_name(one.collection))
    return fail(Code::usage, "a collection's name has 1 to 64 small letters, digits, - or _, such as digits");
  if (one.name.empty() || one.name.size() > most_item_name)
    return fail(Code::usage, fmt::format("an example's name has 1 to {} letters", most_item_name));
  const std::uint64_t size = std::uint64_t{one.height} * one.width;
  if (size == 0 || size > most_values || one.values.size() != size)
    return fail(Code::usage, fmt::format("an example has height × width bytes, from 1 to {}", most_values));
  if (one.label > most_label)
    return fail(Code::usage, fmt::format("a label is a class's number, from 0 to {}", most_label));
  return Done{};
}

std::string record_name(const KeptExample& one) { return one.collection + "/" + one.name; }

std::string encoded(const KeptExample& one) {
  Writer out;
  out.number(one.height).number(one.width).number(one.label);
  out.number(static_cast<std::uint8_t>(!one.mark ? not_marked_or_not : *one.mark ? with_mark : without_mark));
  out.raw(std::as_bytes(std::span(one.values)));
  return {reinterpret_cast<const char*>(out.view().data()), out.size()};
}

std::optional<KeptExample> read_example(std::string_view record_name, std::string_view text) {
  const std::size_t slash = record_name.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  Reader in(std::as_bytes(std::span(text)));
  KeptExample one{.collection = std::string(record_name.substr(0, slash)),
                  .name = std::string(record_name.substr(slash + 1)),
                  .height = in.number<std::uint32_t>(),
                  .width = in.number<std::uint32_t>(),
                  .label = in.number<std::uint32_t>()};
  const auto mark = in.number<std::uint8_t>();
  if (mark != not_marked_or_not) one.mark = mark == with_mark;
  if (in.spoiled() || mark > with_mark) return std::nullopt;
  const auto rest = text.substr(text.size() - in.remaining());
  one.values.assign(rest.begin(), rest.end());
  if (!check(one).ok()) return std::nullopt;
  return one;
}

}  // namespace sotto::device
