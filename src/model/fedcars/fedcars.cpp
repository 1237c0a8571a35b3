#include "model/fedcars/fedcars.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/rng.h"

namespace sotto::model {

namespace {

// An item's mean rating counts as if so many people had given it the mean of all.
constexpr float rating_shrink = 5.0f;

}  // namespace

Result<QueryFrom> parse_query_from(const std::string& text) {
  if (text == "training") return QueryFrom::training;
  if (text == "test") return QueryFrom::test;
  return fail(Code::usage,
              fmt::format("unknown source of the query examples '{}': choose training or test", text));
}
const char* to_string(QueryFrom query) { return query == QueryFrom::training ? "training" : "test"; }

Status check(const FedcarsOptions& options) {
  SOTTO_TRY_DONE(check(options.rating));
  SOTTO_TRY_DONE(check(options.choice));
  SOTTO_TRY_DONE(check(options.server));
  if (options.factors < 1 || options.factors > 1024 || options.hidden > 1024)
    return fail(Code::usage, "Fed-CARS has 1 to 1024 factors and at most 1024 hidden units");
  if (!(options.query_share > 0.0f && options.query_share < 1.0f))
    return fail(Code::usage,
                "the share of a visit's records that are asked (--query-share) lies between 0 and 1");
  if (!(options.few_share >= 0.0f && options.few_share <= 1.0f))
    return fail(Code::usage, "the share of visits that play somebody new (--few-share) lies between 0 and 1");
  if (options.chooses && (options.negatives < 1 || options.negatives > 100))
    return fail(Code::usage,
                "Fed-CARS draws 1 to 100 items that were not chosen for each chosen one (--negatives)");
  if (!(options.choice_rate > 0.0f && options.choice_rate < 1e6f))
    return fail(Code::usage, "the choice's part of the server's steps must be a finite number above 0");
  if (!(options.error_bend >= 0.0f && options.error_bend < 1e6f))
    return fail(Code::usage, "the bend of the errors (--error-bend) is a finite number, 0 or larger");
  for (const float half_life : {options.half_life, options.choice_half_life})
    if (!(half_life >= 0.0f && half_life < 1e9f))
      return fail(Code::usage, "a half-life (--recency, --choice-recency) is a finite number, 0 or larger");
  return Done{};
}

RowMatrix Fedcars::start_shared() const {
  const FedcarsLayout& at = layout();
  RowMatrix shared(shared_rows(), shared_width());
  const std::size_t width = at.shape.width();
  const float network_sd = 1.0f / std::sqrt(static_cast<float>(at.shape.factors));
  for (std::uint32_t row = 0; row < at.tally_row(); ++row) {
    const bool network = row >= at.network_row();
    Stream stream(options_.seed, Purpose::init_shared, 0, row);
    for (std::size_t head = 0; head < at.heads(); ++head)
      for (std::size_t k = 0; k + 1 < width || (network && k < width); ++k)
        shared.row(row)[head * width + k] =
            (network && row < at.network_row() + at.shape.hidden ? network_sd : options_.init_sd) *
            static_cast<float>(stream.normal());
  }
  return shared;
}

std::span<const std::uint32_t> Fedcars::Device::chosen_items(UserIndex user) {
  chosen_.clear();
  for (const std::uint32_t k : may_leave_) chosen_.push_back(model_.devices().record(user, k).item.value);
  std::sort(chosen_.begin(), chosen_.end());
  return chosen_;
}

void Fedcars::Device::draw_episode(const DeviceVisit<RowMatrix>& visit) {
  const FedcarsDevices& devices = model_.devices();
  const bool literal = model_.options().query == QueryFrom::test;
  Stream stream(model_.options().seed, Purpose::draw_query, visit.round, visit.user.value);
  for (std::size_t k = may_leave_.size(); k > 1; --k)
    std::swap(may_leave_[k - 1], may_leave_[stream.below(static_cast<std::uint32_t>(k))]);
  const auto share =
      static_cast<std::size_t>(model_.options().query_share * static_cast<float>(may_leave_.size()));
  queries_drawn_ = std::max<std::size_t>(share, 1);
  if (stream.chance(static_cast<double>(model_.options().few_share))) {
    const auto most = static_cast<std::uint32_t>(std::min<std::size_t>(may_leave_.size() - 1, few_records));
    queries_drawn_ = may_leave_.size() - stream.below(most + 1);
  }
  work_.begin(*visit.received);
  for (std::size_t n = 0; n < may_leave_.size(); ++n) {
    const FedcarsDevices::Rated record = devices.record(visit.user, may_leave_[n]);
    work_.add(FedcarsHead::rating, n < queries_drawn_ && !literal ? ExampleUse::query : ExampleUse::support,
              record.features, record.target, record.weight);
  }
  queries_ = queries_drawn_;
  if (!literal) return;
  queries_ = devices.held_out(visit.user);
  for (std::size_t k = 0; k < queries_; ++k) {
    described_.clear();
    devices.describe(visit.user, devices.held_out_occasion(visit.user, k), described_);
    work_.add(FedcarsHead::rating, ExampleUse::query, described_, devices.held_out_target(visit.user, k),
              1.0f);
  }
}

void Fedcars::Server::start_from_counts() {
  const FedcarsLayout& at = model_.layout();
  const std::size_t bias = at.shape.factors;
  const float* tally = sums_.row(at.tally_row());
  if (!(tally[0] > 0.0f)) return;  // nobody answered: the next round counts
  const float ratings = std::max(tally[0] * tally_unit, 1.0f);
  shared_.row(at.tally_row())[0] = static_cast<float>(round_ + 1);
  const float mean = tally[bias] * tally_unit / ratings;
  shared_.row(at.common_row())[bias] = mean;
  // With so many negatives a rating, an item that is as likely as any is a negative so often.
  const float usual = static_cast<float>(model_.options().negatives) * ratings / static_cast<float>(at.items);
  for (std::uint32_t item = 0; item < at.items; ++item) {
    const float times = std::max(sums_.row(item)[0] * tally_unit, 0.0f);
    const float sum = sums_.row(item)[bias] * tally_unit;
    shared_.row(item)[bias] = (sum - times * mean) / (times + rating_shrink);
    if (at.chooses) shared_.row(item)[at.shape.width() + bias] = log_f32((times + 1.0f) / (usual + 1.0f));
  }
}

bool Fedcars::Server::solved() {
  const FedcarsLayout& at = model_.layout();
  if (model_.counts_in(shared_)) {
    start_from_counts();
    return true;
  }
  const float weight = sums_.row(at.tally_row())[0];
  if (!(weight > 0.0f)) return true;  // nobody answered, or noise took the count
  const std::size_t width = at.shape.width();
  for (std::uint32_t row = 0; row < at.tally_row(); ++row) {
    if (heard_[row] == 0) continue;
    for (float& value : sums_.values(row)) value /= weight;
    // A half that nobody spoke of stays: what was drawn as not chosen says nothing about ratings.
    for (std::size_t head = 0; head < at.heads(); ++head) {
      const float rate = head == 0 ? 1.0f : model_.options().choice_rate;
      const auto half = sums_.values(row).subspan(head * width, width);
      if (std::ranges::any_of(half, [](float slope) { return slope != 0.0f; }))
        steps_.move(row, sums_.row(row), width, {.first = head * width, .rate = rate});
    }
  }
  return steps_.finite();
}

}  // namespace sotto::model
