// The interaction loader on any bytes. The first byte chooses how columns are named and whether the
// rest is one source or two.
// Laws checked: a dataset that loads is sorted, its indices are in range, its ids are fit to be written
// as text again and can be split; a refusal names its source and is one line.
#include <cmath>
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "data/loader.h"
#include "data/split.h"
#include "data/split_parts.h"

using namespace sotto::fuzz;  // NOLINT: a program of one file

namespace {

void check_rows(const Dataset& dataset) {
  SOTTO_ASSERT(!dataset.interactions.empty(), "a loaded dataset is not empty");
  const Interaction* before = nullptr;
  for (const Interaction& row : dataset.interactions) {
    SOTTO_ASSERT(row.user.value < dataset.users.size() && row.item.value < dataset.items.size(),
                 "indices are in range");
    SOTTO_ASSERT(std::isfinite(row.rating) && row.rating >= 0.0f, "ratings are finite and not negative");
    SOTTO_ASSERT(
        before == nullptr || before->user < row.user || (before->user == row.user && before->item < row.item),
        "each pair once, sorted");
    before = &row;
  }
  SOTTO_ASSERT(dataset.item_categories.empty() || dataset.item_categories.size() == dataset.items.size(),
               "each item has a category, or none has");
}

void check_ids(const IdTable& table) {
  for (std::uint32_t index = 0; index < table.size(); ++index)
    SOTTO_ASSERT(id_fault(table.name(index)) == nullptr && is_utf8(table.name(index)),
                 "ids can be written again");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const std::string choices[] = {"", "", "user=1,item=2,rating=3,time=4",
                                        "user=user,item=item,category=4"};
  const std::string& columns = choices[data[0] % 4];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::vector<TextSource> sources{{"one", text}};
  if (data[0] >= 128) {
    sources[0].bytes = text.substr(0, text.size() / 2);
    sources.push_back({"two", text.substr(text.size() / 2)});
  }
  const auto dataset = load_interactions(sources, {columns});
  if (!dataset.ok()) {
    const std::string& message = dataset.error().message;
    SOTTO_ASSERT(!message.empty() && message.find('\n') == std::string::npos, "a refusal is one line");
    SOTTO_ASSERT(message.starts_with("one") || message.starts_with("two"), "a refusal names its source");
    return 0;
  }
  check_rows(*dataset);
  check_ids(dataset->users);
  check_ids(dataset->items);
  SplitOptions options;
  if (dataset->time_kind == TimeKind::none) options.rule = RandomHoldout{0.7};
  options.validation_share = 0.2;
  const auto split = split_dataset(*dataset, options);
  SOTTO_ASSERT(split.ok() && check_laws(*split).ok(), "what loads can be split");
  return 0;
}
