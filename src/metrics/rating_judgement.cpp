#include "metrics/rating_judgement.h"

#include <algorithm>
#include <cmath>

#include "metrics/rating_error.h"

namespace sotto::metrics {

namespace {

constexpr std::size_t users_a_shard = 64;

// One user's records, from `first` on in the part.
struct UserRecords {
  UserIndex user;
  std::uint64_t first = 0;
  std::span<const ItemIndex> items;
};

UserRecords records_of(const RatedPart& part, UserIndex user) {
  return {user, part.histories->offsets()[user.value], part.histories->of(user)};
}

// Predictions into `out`; how many of them rest on the person's or the item's own ratings.
std::uint64_t predict_user(const RatingPredictor& model, const RatedPart& part, const UserRecords& records,
                           std::span<float> out) {
  std::vector<Occasion> occasions;
  std::uint64_t known = 0;
  for (std::size_t n = 0; n < records.items.size(); ++n) {
    occasions.push_back({records.items[n]});
    if (part.contexts != nullptr) occasions.back().values = part.contexts->of(records.first + n);
    if (model.knows(records.user, records.items[n])) ++known;
  }
  model.predict(records.user, occasions, out);
  return known;
}

}  // namespace

Result<RatingJudgement> judge_ratings(const RatingPredictor& model, const RatedPart& part,
                                      std::span<const UserIndex> users, Executor& executor) {
  SOTTO_ASSERT(part.ratings.size() == part.histories->interactions(), "one rating a record");
  std::vector<std::size_t> starts{0};
  std::vector<float> truth;
  for (const UserIndex user : users) {
    const UserRecords records = records_of(part, user);
    const auto given = part.ratings.subspan(records.first, records.items.size());
    truth.insert(truth.end(), given.begin(), given.end());
    starts.push_back(truth.size());
  }
  std::vector<float> predicted(truth.size());
  std::vector<std::uint64_t> known(users.size(), 0);
  executor.run((users.size() + users_a_shard - 1) / users_a_shard, [&](std::size_t shard) {
    for (std::size_t row = shard * users_a_shard; row < std::min((shard + 1) * users_a_shard, users.size());
         ++row)
      known[row] = predict_user(model, part, records_of(part, users[row]),
                                std::span(predicted).subspan(starts[row], starts[row + 1] - starts[row]));
  });
  if (!std::all_of(predicted.begin(), predicted.end(), [](float value) { return std::isfinite(value); }))
    return fail(Code::diverged,
                "the model's predictions are not finite numbers: its training diverged; train again with a "
                "smaller learning rate");
  RatingJudgement result;
  result.mae = mean_absolute_error(predicted, truth);
  result.rmse = root_mean_squared_error(predicted, truth);
  std::uint64_t all_known = 0;
  for (std::size_t row = 0; row < users.size(); ++row) {
    const std::size_t count = starts[row + 1] - starts[row];
    const auto mine = std::span(std::as_const(predicted)).subspan(starts[row], count);
    const auto given = std::span(std::as_const(truth)).subspan(starts[row], count);
    result.user_mae.push_back(mean_absolute_error(mine, given));
    result.user_rmse.push_back(root_mean_squared_error(mine, given));
    all_known += known[row];
  }
  result.rated_share = static_cast<double>(all_known) / static_cast<double>(truth.size());
  return result;
}

}  // namespace sotto::metrics
