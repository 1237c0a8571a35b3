#include "host/fleet/player.h"

#include <algorithm>

#include "data/examples/dealt_examples.h"
#include "host/fleet/hostile_transport.h"

namespace sotto::host {

namespace {

// What the people's file says of one of them.
Attributes attributes_of(const Contexts& contexts, std::uint32_t user) {
  Attributes attributes;
  for (const std::uint32_t value : contexts.people.of(user)) {
    const ContextDimension& dimension = contexts.dimensions[contexts.dimension_of(value)];
    attributes.emplace_back(dimension.name, dimension.values[value - dimension.first]);
  }
  return attributes;
}

MemoryPerson person_of(const FleetWorld& world, std::uint32_t user) {
  const Split& split = world.split;
  MemoryPerson person{.items = split.train.of(UserIndex{user}),
                      .names = &split.items,
                      .policy = &world.options.policy,
                      .ages = split.train.ages_of(UserIndex{user}),
                      .records = split.records.get(),
                      .first = split.train.offsets()[user]};
  if (split.contexts != nullptr) person.attributes = attributes_of(*split.contexts, user);
  if (split.examples == nullptr) return person;
  person.examples = split.examples->examples.get();
  person.places = split.examples->dealt.of(UserIndex{user}).train;
  person.collection = world.options.collection;
  return person;
}

constexpr std::int64_t hostile_pause_ms = 100;
constexpr std::int64_t away_ms = 10'000;        // of a device that churned
constexpr std::uint32_t most_silent_after = 8;  // requests until a device falls silent

// Lets so many calls through and then nothing, either way.
class FallingSilent final : public Transport {
 public:
  FallingSilent(Transport& wire, std::uint32_t& left) : wire_(wire), left_(left) {}
  Result<std::string> call(Method method, const std::string& request) override {
    if (left_ == 1) return fail(Code::io, "the device dropped out");
    auto reply = wire_.call(method, request);
    --left_;
    return reply;
  }

 private:
  Transport& wire_;
  std::uint32_t& left_;
};

}  // namespace

Player::Player(FleetWorld& world, std::uint32_t user, const Enrolment& enrolment)
    : world_(world),
      user_(user),
      hostile_(
          FleetDraws(world.options.seed, "sotto fleet hostile", 0, user).chance(world.options.byzantine)),
      kept_(world.shelf, person_of(world, user)) {
  kept_.keep_enrolment(enrolment);
}

void Player::begin() {
  const FleetOptions& fleet = world_.options;
  FleetDraws draws(fleet.seed, "sotto fleet exchange", ++number_, user_);
  calls_left_ = draws.chance(fleet.dropout) ? 1 + draws.below(most_silent_after) : 0;
  if (fleet.fresh) kept_.drop_models();
  ExchangeOptions options;
  options.allow_reproducible = fleet.reproducible;
  options.shelf = &world_.shelf;
  options.networks = fleet.networks;
  if (fleet.delay_ms > 0) options.moves_a_call = 1;
  exchange_ = std::make_unique<Exchange>(kept_, std::move(options));
}

Result<Player::Turn> Player::finish(const Exchange::Next& next, bool silent) {
  exchange_.reset();
  Turn turn{.wait_ms = next.wait_ms, .over = true, .silent = silent, .report = next.report};
  if (hostile_) turn.wait_ms = std::min(turn.wait_ms, hostile_pause_ms);  // who wants harm does not wait
  FleetDraws draws(world_.options.seed, "sotto fleet churn", number_, user_);
  if (draws.chance(world_.options.churn)) {
    kept_.drop_models();
    turn.wait_ms = away_ms;
  }
  return turn;
}

Result<Player::Turn> Player::play(Transport& wire, std::int64_t now_ms) {
  if (exchange_ == nullptr) begin();
  const bool may_fall_silent = calls_left_ > 0;
  FallingSilent silent(wire, calls_left_);
  Transport& line = may_fall_silent ? static_cast<Transport&>(silent) : wire;
  Result<Exchange::Next> next = Exchange::Next{};
  if (hostile_) {
    SOTTO_TRY(const auto enrolment, kept_.enrolment());
    const Identity identity(enrolment->identity_seed);
    FleetDraws malice(world_.options.seed, "sotto fleet malice", number_, user_);
    HostileTransport hostile(line, identity, malice);
    next = exchange_->advance(hostile, now_ms);
  } else {
    next = exchange_->advance(line, now_ms);
  }
  if (!next.ok()) return next.error();
  if (may_fall_silent && calls_left_ == 1) return finish({.wait_ms = 1000, .report = next->report}, true);
  if (next->what != Exchange::Next::What::wait) return finish(*next, false);
  Turn turn{.wait_ms = next->wait_ms, .report = {}};
  if (world_.options.delay_ms > 0) {
    FleetDraws draws(world_.options.seed, "sotto fleet delay", next->report.requests, user_);
    turn.wait_ms += draws.below(world_.options.delay_ms + 1);
  }
  return turn;
}

}  // namespace sotto::host
