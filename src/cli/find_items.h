// Users and items by the ids that people type, and a helpful sentence where there is none.
// Law: the sentence never repeats a user's id or a history, only the place where it was given.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "data/split.h"

namespace sotto::cli {

// An id and where it came from: "--user, number 2" or "users.txt, line 7".
struct GivenId {
  std::string id;
  std::string where;
};
[[nodiscard]] std::vector<GivenId> given_ids(const std::string& option, const std::vector<std::string>& ids);
// One id a line; blank lines do not count.
[[nodiscard]] Result<std::vector<GivenId>> read_ids(const std::string& path);

// An item of the catalogue. For an unknown id the sentence names items that are called so.
[[nodiscard]] Result<ItemIndex> find_item(const Split& split, const std::string& id);
// Somebody's history: items of the catalogue, ascending, each once.
[[nodiscard]] Result<std::vector<ItemIndex>> find_history(const Split& split,
                                                          const std::vector<GivenId>& ids);
// `otherwise` is what else can be done about an unknown id, at the end of the sentence.
[[nodiscard]] Result<std::vector<UserIndex>> find_users(const Split& split, const std::vector<GivenId>& ids,
                                                        const char* otherwise = "");

}  // namespace sotto::cli
