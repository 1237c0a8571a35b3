#include "fed/secure/secure_collector.h"

#include <fmt/core.h>

#include <algorithm>

#include "fed/secure/masked_sum.h"
#include "fed/secure/paillier_sum.h"
#include "fed/secure/part_sum.h"
#include "privacy/secure/tails.h"

namespace sotto::fed {

namespace {

// What is assumed of `some` devices of a group, from what is assumed of the group.
SumAssumptions assumed_of_some(const SumAssumptions& assumed, const DrawTails& tails, std::uint32_t group,
                               std::uint32_t some) {
  if (some == group) return assumed;
  const auto in_group = [&](double share) { return static_cast<std::uint32_t>(share * group); };
  const std::uint32_t dropped = tails.most({group, in_group(assumed.dropped), some}, assumed.abort);
  // Half a device more, so that rounding down gives the number again.
  const auto share = [&](std::uint32_t count) { return std::min((count + 0.5) / some, 1.0 - 1e-9); };
  SumAssumptions out = assumed;
  out.corrupt = share(in_group(assumed.corrupt));
  out.dropped = share(dropped);
  return out;
}

}  // namespace

Result<SumKind> parse_sum_kind(const std::string& text) {
  for (const SumKind kind :
       {SumKind::plain, SumKind::secure, SumKind::shares, SumKind::paillier, SumKind::products})
    if (text == to_string(kind)) return kind;
  return fail(Code::usage,
              fmt::format("'{}' is no kind of sum: plain, secure, shares, paillier or products", text));
}

const char* to_string(SumKind kind) {
  switch (kind) {
    case SumKind::plain:
      return "plain";
    case SumKind::secure:
      return "secure";
    case SumKind::shares:
      return "shares";
    case SumKind::paillier:
      return "paillier";
    case SumKind::products:
      return "products";
  }
  SOTTO_ASSERT(false, "every kind of sum has a name");
}

Status check(const SumOptions& options) {
  SOTTO_TRY_DONE(check(options.assumed));
  if (!(options.silent >= 0.0 && options.silent < 1.0))
    return fail(Code::usage, "the share of devices that fall silent is in [0, 1)");
  if (options.limit > static_cast<std::uint32_t>(fixed_limit))
    return fail(Code::usage, fmt::format("the limit of a value in a secure sum is at most {}", fixed_limit));
  if (options.bits > 64 || options.bits == 1) return fail(Code::usage, "a ring has 2 to 64 bits, or 0");
  if (options.aggregators < 2) return fail(Code::usage, "shares need at least two aggregators");
  if (options.group != 0 && options.group < options.assumed.crowd)
    return fail(Code::usage, "a group of a secure sum is at least as large as the crowd to hide in");
  if (options.kind == SumKind::paillier && (options.key_bits < paillier_bits || options.key_bits % 16 != 0))
    return fail(Code::usage, "a Paillier key has at least 2048 bits, a multiple of 16");
  if (options.kind == SumKind::paillier && options.bits != 0)
    return fail(Code::usage,
                "a sum under Paillier has no ring: leave --secure-bits out, or take --sum secure or shares");
  if (options.kind == SumKind::products && (options.block != 0 || options.group != 0))
    return fail(Code::usage,
                "products are of all pairs and of everybody: leave --secure-block and --secure-group out");
  return Done{};
}

std::unique_ptr<SumProtocol> make_protocol(const SumOptions& options, std::uint64_t seed,
                                           Executor& executor) {
  const std::uint32_t least = options.assumed.crowd;
  switch (options.kind) {
    case SumKind::plain:
    case SumKind::products:
      break;
    case SumKind::secure:
      return std::make_unique<MaskedSum>(options.assumed, options.bits, seed, executor);
    case SumKind::shares:
      return std::make_unique<PartSum>(options.aggregators, least, options.bits, seed, executor);
    case SumKind::paillier:
      return std::make_unique<PaillierSum>(options.key_bits, least, seed, executor);
  }
  SOTTO_ASSERT(false, "a sum of rows, and not a plain one");
}

SecureCollector::SecureCollector(const SumOptions& options, SumShape shape, std::uint64_t seed,
                                 Executor& executor)
    : SecureCollector(options, shape, seed, executor, make_protocol(options, seed, executor)) {}

SecureCollector::SecureCollector(const SumOptions& options, SumShape shape, std::uint64_t seed,
                                 Executor& executor, std::unique_ptr<SumProtocol> protocol)
    : options_(options),
      shape_(shape),
      limit_(options.limit == 0 ? fixed_limit : static_cast<std::int32_t>(options.limit)),
      seed_(seed),
      executor_(executor),
      protocol_(std::move(protocol)) {}

Status SecureCollector::begin(const RoundPlace& place) {
  round_ = place.round;
  session_ = std::max(session_, std::uint64_t{place.round} << 32);
  cohort_.assign(place.cohort.begin(), place.cohort.end());
  held_.clear();
  return Done{};
}

Status SecureCollector::accept(UserIndex user, Contribution& contribution) {
  SOTTO_ASSERT(held_.size() < cohort_.size() && cohort_[held_.size()] == user,
               "every device of the cohort is accepted once, in its order");
  if (contribution.width() != shape_.width)
    return fail(Code::bad_input, "contribution refused: its rows are not those of the shared model");
  Held held{.user = user.value, .rows = {}, .values = {}};
  for (std::size_t n = 0; n < contribution.size(); ++n) {
    if (contribution.row(n) >= shape_.rows)
      return fail(Code::bad_input, "contribution refused: it has a row that the shared model has not");
    held.rows.push_back(contribution.row(n));
    held.values.insert(held.values.end(), contribution.values(n), contribution.values(n) + shape_.width);
  }
  held_.push_back(std::move(held));
  return Done{};
}

SecureCollector::Part SecureCollector::part_of(const Block& block,
                                               std::span<const std::uint32_t> group) const {
  Part part{{group.begin(), group.end()}, options_.assumed};
  if (options_.block == 0) return part;
  const auto touched = std::stable_partition(part.members.begin(), part.members.end(), [&](std::uint32_t n) {
    const auto& rows = held_[n].rows;
    const auto at = std::lower_bound(rows.begin(), rows.end(), block.first);
    return at != rows.end() && *at < block.end;
  });
  const auto all = static_cast<std::uint32_t>(group.size());
  auto count = static_cast<std::uint32_t>(touched - part.members.begin());
  if (count != 0) {
    const DrawTails tails(all);
    const std::uint32_t wanted = options_.group != 0 ? options_.group : 4 * options_.assumed.crowd;
    count = std::min(std::max(count, wanted), all);
    part.assumed = assumed_of_some(options_.assumed, tails, all, count);
    while (options_.kind == SumKind::secure && count < all && !sum_terms(count, part.assumed).ok()) {
      count = std::min(count + count / 8 + 1, all);
      part.assumed = assumed_of_some(options_.assumed, tails, all, count);
    }
  }
  part.members.resize(count);
  return part;
}

Status SecureCollector::fill(const Block& block, const Held& held, std::span<std::int32_t> out) const {
  const auto first = std::lower_bound(held.rows.begin(), held.rows.end(), block.first);
  for (auto at = first; at != held.rows.end() && *at < block.end; ++at) {
    const std::int32_t* values =
        held.values.data() + static_cast<std::size_t>(at - held.rows.begin()) * shape_.width;
    for (std::size_t k = 0; k < shape_.width; ++k) {
      std::int32_t& sum = out[(*at - block.first) * shape_.width + k];
      const std::int64_t wide = std::int64_t{sum} + values[k];
      if (wide > limit_ || wide < -std::int64_t{limit_})
        return fail(
            Code::bad_input,
            fmt::format("secure sum refused: a contribution has a value out of range (±{} units); raise "
                        "the limit, or clip",
                        limit_));
      sum = static_cast<std::int32_t>(wide);
    }
  }
  return Done{};
}

Result<SumOutcome> SecureCollector::sum_part(const Block& block, const Part& part) {
  std::vector<std::uint32_t> users;
  std::vector<Fate> fates;
  for (const std::uint32_t place : part.members) {
    users.push_back(held_[place].user);
    fates.push_back(draw_.fates[place]);
  }
  SumTask task{.session = session_++,
               .members = users,
               .fates = fates,
               .entries = static_cast<std::uint32_t>((block.end - block.first) * shape_.width),
               .limit = limit_,
               .input = [&](std::uint32_t place, std::span<std::int32_t> out) {
                 return fill(block, held_[part.members[place]], out);
               }};
  if (options_.kind != SumKind::secure || options_.block == 0) return protocol_->sum(task);
  return MaskedSum(part.assumed, options_.bits, seed_, executor_).sum(task);
}

Status SecureCollector::sum_block(const Block& block, std::vector<std::int64_t>& sums, Traffic& traffic) {
  std::uint64_t devices = 0;
  bool touched = false;
  for (std::size_t group = 0; group < draw_.groups; ++group) {
    const Part part = part_of(block, draw_.group(group));
    if (options_.block != 0 && part.members.empty()) continue;
    SOTTO_TRY(const SumOutcome outcome, sum_part(block, part));
    touched = true;
    traffic.up += outcome.traffic.up;
    traffic.down += outcome.traffic.down;
    devices += outcome.survivors.size();
    std::int64_t* out = sums.data() + std::size_t{block.first} * shape_.width;
    for (std::size_t n = 0; n < outcome.values.size(); ++n) out[n] += outcome.values[n];
  }
  if (touched) traffic.devices = std::min(traffic.devices, devices);
  return Done{};
}

Result<Traffic> SecureCollector::finish(Aggregator& total) {
  SOTTO_ASSERT(held_.size() == cohort_.size(), "every device of the cohort was accepted");
  draw_ =
      draw_round({.seed = seed_, .group = options_.group, .silent = options_.silent}, round_, held_.size());
  const auto rows = static_cast<std::uint32_t>(shape_.rows);
  const std::uint32_t step = options_.block == 0 ? rows : options_.block;
  std::vector<std::int64_t> sums(shape_.rows * shape_.width, 0);
  Traffic traffic{.devices = held_.size()};
  for (std::uint32_t first = 0; first < rows; first += step)
    SOTTO_TRY_DONE(sum_block({first, std::min(rows - first, step) + first}, sums, traffic));
  // All sums are there: now they are released. Rows of zeros change nothing.
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::int64_t* values = sums.data() + std::size_t{row} * shape_.width;
    if (std::any_of(values, values + shape_.width, [](std::int64_t v) { return v != 0; }))
      total.add_total(row, values);
  }
  held_.clear();
  return traffic;
}

}  // namespace sotto::fed
