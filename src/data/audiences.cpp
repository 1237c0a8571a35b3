#include "data/audiences.h"

namespace sotto::data {

Audiences::Audiences(const Histories& histories, std::size_t catalogue)
    : offsets_(catalogue + 1, 0), users_(histories.interactions()) {
  for (const ItemIndex item : histories.items()) ++offsets_[item.value + 1];
  for (std::size_t item = 0; item < catalogue; ++item) offsets_[item + 1] += offsets_[item];
  std::vector<std::uint64_t> next(offsets_.begin(), offsets_.end() - 1);
  for (std::uint32_t user = 0; user < histories.users(); ++user)
    for (const ItemIndex item : histories.of(UserIndex{user})) users_[next[item.value]++] = UserIndex{user};
}

}  // namespace sotto::data
