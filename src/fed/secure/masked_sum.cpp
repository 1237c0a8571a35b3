#include "fed/secure/masked_sum.h"

#include "fed/secure/sum_device.h"
#include "fed/secure/sum_server.h"

namespace sotto {

namespace {

// One sum on its way through the phases.
class Course {
 public:
  Course(const SumTask& task, const SumOffer& offer, std::uint64_t seed, Executor& executor)
      : task_(task), executor_(executor) {
    for (const std::uint32_t member : task.members) {
      identities_.emplace_back(Secret(simulated_key(seed, "sum identity", member)));
      directory_.push_back(identities_.back().open());
    }
    for (std::uint32_t place = 0; place < task.members.size(); ++place)
      devices_.emplace_back(place, identities_[place], directory_, offer.terms,
                            Secret(simulated_key(seed, "sum entropy", offer.session, task.members[place])));
    server_.emplace(offer, directory_);
  }

  [[nodiscard]] Result<SumOutcome> run() {
    const Bytes offer = encode(server_->offer());
    SOTTO_TRY_DONE(step<KeysMessage>(Fate::keys, offer, [&](std::uint32_t place, const Bytes& got) {
      return answer<SumOffer>(got, [&](const SumOffer& read) { return devices_[place].join(read); });
    }));
    SOTTO_TRY_DONE(server_->close_keys());
    SOTTO_TRY_DONE(step<LettersMessage>(Fate::letters, {}, [&](std::uint32_t place, const Bytes&) {
      return reply<NeighbourKeysMessage>(place, server_->keys_for(place));
    }));
    SOTTO_TRY_DONE(server_->close_letters());
    SOTTO_TRY_DONE(step<MaskedMessage>(Fate::input, {}, [&](std::uint32_t place, const Bytes&) {
      return give(place);
    }));
    SOTTO_TRY_DONE(server_->close_inputs());
    SOTTO_TRY_DONE(agree_on_survivors());
    const Bytes certificate = encode(server_->certificate());
    SOTTO_TRY_DONE(step<RevealMessage>(Fate::reveal, certificate, [&](std::uint32_t place, const Bytes& got) {
      return answer<CertificateMessage>(
          got, [&](const CertificateMessage& read) { return devices_[place].receive(read); });
    }));
    SOTTO_TRY(SumTotal total, std::move(*server_).release());
    return SumOutcome{std::move(total.values), std::move(total.survivors), traffic_};
  }

 private:
  struct Made {
    std::uint64_t down = 0;
    Bytes up;
  };

  // What a device makes of a message that came as bytes.
  template <class Got, class Each>
  [[nodiscard]] static Result<Made> answer(const Bytes& bytes, const Each& each) {
    SOTTO_TRY(const Got got, decode<Got>(bytes));
    SOTTO_TRY(const auto made, each(got));
    return Made{bytes.size(), encode(made)};
  }
  template <class Got>
  [[nodiscard]] Result<Made> reply(std::uint32_t place, const Got& message) {
    return answer<Got>(encode(message), [&](const Got& read) { return devices_[place].receive(read); });
  }
  [[nodiscard]] Result<Made> give(std::uint32_t place) {
    std::vector<std::int32_t> input(task_.entries, 0);
    SOTTO_TRY_DONE(task_.input(place, input));
    return answer<LettersMessage>(encode(server_->letters_for(place)), [&](const LettersMessage& read) {
      return devices_[place].receive(read, input);
    });
  }

  // Everybody who still speaks answers; the server takes it.
  template <class Up, class Each>
  [[nodiscard]] Status step(Fate fate, const Bytes& got, const Each& each) {
    const auto make = [&](std::uint32_t place) -> Result<Made> {
      return task_.fates[place] > fate ? each(place, got) : Made{};
    };
    return in_batches(executor_, devices_.size(), make, [&](std::uint32_t place, const Made& made) -> Status {
      traffic_.down += made.down;
      traffic_.up += made.up.size();
      if (made.up.empty()) return Done{};
      SOTTO_TRY(const Up message, decode<Up>(made.up));
      return server_->receive(place, message);
    });
  }

  [[nodiscard]] Status agree_on_survivors() {
    const Bytes survivors = encode(server_->survivors());
    SOTTO_TRY_DONE(
        step<AgreementMessage>(Fate::agreement, survivors,
                               [&](std::uint32_t place, const Bytes& got) -> Result<Made> {
                                 SOTTO_TRY(const auto read, decode<SurvivorsMessage>(got));
                                 SOTTO_TRY(const auto made, devices_[place].receive(read));
                                 return Made{got.size(), made ? encode(*made) : Bytes{}};
                               }));
    return server_->close_agreement();
  }

  const SumTask& task_;
  Executor& executor_;
  std::vector<Identity> identities_;
  std::vector<PublicKey> directory_;
  std::vector<SumDevice> devices_;
  std::optional<SumServer> server_;
  Traffic traffic_;
};

}  // namespace

SumCost masked_cost(const SumOffer& offer) {
  constexpr std::uint64_t head = 16, list = 20;  // header and session; and the length of a list
  const std::uint64_t degree = offer.terms.degree, set = (offer.terms.devices + 7) / 8;
  const std::uint64_t packed = (std::uint64_t{offer.entries} * offer.range.bits + 7) / 8;
  constexpr std::uint64_t keys = 4 + 3 * 32 + 64, letter = 4 + Letter::bytes, signed_by = 4 + 64;
  SumCost cost;
  cost.up = head + keys + list + degree * letter + head + 8 + packed + head + 64 + list +
            degree * (5 + share_bytes);
  cost.down = encode(offer).size() + list + degree * keys + list + degree * letter + list + 2 * set + list +
              offer.terms.quorum * signed_by;
  cost.dense = std::uint64_t{offer.entries} * sizeof(std::int32_t);
  return cost;
}

Result<SumOutcome> MaskedSum::sum(const SumTask& task) {
  const auto devices = static_cast<std::uint32_t>(task.members.size());
  SOTTO_ASSERT(task.fates.size() == devices, "one fate a member");
  if (!terms_.contains(devices)) {
    SOTTO_TRY(terms_[devices], sum_terms(devices, assumed_));
  }
  SumOffer offer{.session = task.session, .terms = terms_[devices], .entries = task.entries};
  SOTTO_TRY(offer.range, plan_range(devices, task.limit, bits_));
  offer.beacon = Secret(simulated_key(seed_, "sum beacon", task.session)).on_device();
  return Course(task, offer, seed_, executor_).run();
}

}  // namespace sotto
