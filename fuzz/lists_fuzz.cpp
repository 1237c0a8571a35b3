// The loader of recommendation lists on any bytes, against a small split. The first byte chooses whether the
// columns are named.
// Laws checked: what loads names each item of the catalogue at most once a user and none that they have; it
// can be judged; a refusal names its source and is one line.
#include <cstdint>
#include <set>
#include <string>

#include "base/assert.h"
#include "data/given_lists.h"
#include "data/loader.h"
#include "metrics/evaluate.h"

using namespace sotto::fuzz;  // NOLINT: a program of one file

namespace {

Dataset dataset_of(const std::string& text) {
  const TextSource source{"part", text};
  return load_interactions(std::span(&source, 1)).value();
}

const Split& small_world() {
  static const Split split =
      join_given_parts(dataset_of("user\titem\n1\t10\n1\t11\n2\t12\n2\t13\n2\t14\n"),
                       dataset_of("user\titem\n1\t12\n"), dataset_of("user\titem\n1\t13\n1\t99\n2\t10\n"))
          .value();
  return split;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Split& split = small_world();
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto seen = masked_parts(split, Part::test);
  const auto lists =
      load_given_lists({"lists", text}, split, seen, data[0] % 2 == 0 ? "" : "user=1,item=2,rating=3");
  if (!lists.ok()) {
    const std::string& message = lists.error().message;
    SOTTO_ASSERT(message.starts_with("lists") && message.find('\n') == std::string::npos,
                 "a refusal names its source and is one line");
    return 0;
  }
  SOTTO_ASSERT(lists->lists > 0 && lists->offsets.size() == split.users.size() + 1, "there are lists");
  for (std::uint32_t user = 0; user < split.users.size(); ++user) {
    std::set<std::uint32_t> once;
    for (const ItemIndex item : lists->of({user})) {
      SOTTO_ASSERT(item.value < split.catalogue && once.insert(item.value).second,
                   "each item once, all known");
      for (const Histories* part : seen) SOTTO_ASSERT(!part->contains({user}, item), "nothing old");
    }
  }
  SOTTO_ASSERT(evaluate_lists(*lists, split, {}, ShortLists::allow).ok(), "what loads is judged");
  return 0;
}
