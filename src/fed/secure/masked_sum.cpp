#include "fed/secure/masked_sum.h"

#include "fed/secure/sum_device.h"
#include "fed/secure/sum_server.h"

namespace sotto::fed {

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
    SOTTO_TRY_DONE(step<KeysMessage>(Fate::keys, [&](std::uint32_t place, Made& made) {
      return answer<SumOffer>(offer, made, [&](const SumOffer& read) { return devices_[place].join(read); });
    }));
    SOTTO_TRY_DONE(server_->close_keys());
    SOTTO_TRY_DONE(step<LettersMessage>(Fate::letters, [&](std::uint32_t place, Made& made) {
      return answer<NeighbourKeysMessage>(
          encode(server_->keys_for(place)), made,
          [&](const NeighbourKeysMessage& read) { return devices_[place].receive(read); });
    }));
    SOTTO_TRY_DONE(server_->close_letters());
    SOTTO_TRY_DONE(
        step<MaskedMessage>(Fate::input, [&](std::uint32_t place, Made& made) { return give(place, made); }));
    SOTTO_TRY_DONE(server_->close_inputs());
    SOTTO_TRY_DONE(agree_on_survivors());
    SOTTO_TRY_DONE(step<RevealMessage>(Fate::reveal, [&](std::uint32_t place, Made& made) {
      return answer<CertificateMessage>(
          encode(server_->certificate_for(place)), made,
          [&](const CertificateMessage& read) { return devices_[place].receive(read); });
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
  [[nodiscard]] static Status answer(const Bytes& bytes, Made& out, const Each& each) {
    SOTTO_TRY(const Got got, decode<Got>(bytes));
    SOTTO_TRY(const auto made, each(got));
    out.down = bytes.size();
    out.up = encode(made);
    return Done{};
  }
  [[nodiscard]] Status give(std::uint32_t place, Made& made) {
    std::vector<std::int32_t> input(task_.entries, 0);
    SOTTO_TRY_DONE(task_.input(place, input));
    return answer<LettersMessage>(encode(server_->letters_for(place)), made, [&](const LettersMessage& read) {
      return devices_[place].receive(read, input);
    });
  }

  // Everybody who still speaks answers; the server takes it.
  template <class Up>
  [[nodiscard]] Status step(Fate fate, const std::function<Status(std::uint32_t, Made&)>& each) {
    const auto make = [&](std::uint32_t place, Made& made) -> Status {
      return task_.fates[place] > fate ? each(place, made) : Status(Done{});
    };
    const auto take = [&](std::uint32_t place, const Made& made) -> Status {
      traffic_.down += made.down;
      traffic_.up += made.up.size();
      if (made.up.empty()) return Done{};
      SOTTO_TRY(const Up message, decode<Up>(made.up));
      return server_->receive(place, message);
    };
    return in_batches<Made>(executor_, devices_.size(), make, take);
  }

  [[nodiscard]] Status agree_on_survivors() {
    const Bytes survivors = encode(server_->survivors());
    SOTTO_TRY_DONE(step<AgreementMessage>(Fate::agreement, [&](std::uint32_t place, Made& made) -> Status {
      SOTTO_TRY(const auto read, decode<SurvivorsMessage>(survivors));
      SOTTO_TRY(const auto agreement, devices_[place].receive(read));
      made.down = survivors.size();
      if (agreement) made.up = encode(*agreement);
      return Done{};
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

Result<SumTerms> terms_of_cohort(std::uint32_t devices, const SumAssumptions& assumed) {
  auto terms = sum_terms(devices, assumed);
  if (terms.ok()) return terms;
  return fail(
      terms.error().code,
      terms.error().message +
          " (--cohort sets the cohort; --secure-tolerate, --secure-corrupt and --secure-crowd what is "
          "assumed)");
}

SumCost masked_cost(const SumOffer& offer) {
  constexpr std::uint64_t head = 16, list = 20;  // header and session; and the length of a list
  const std::uint64_t degree = offer.terms.degree, set = (offer.terms.devices + 7) / 8;
  const std::uint64_t packed = (std::uint64_t{offer.entries} * offer.range.bits + 7) / 8;
  constexpr std::uint64_t keys = 4 + 3 * 32 + 64, letter = 4 + Letter::bytes, signed_by = 4 + 64,
                          tag = 4 + 16;
  SumCost cost;
  cost.up = head + keys + list + degree * letter + list + degree * tag + 8 + packed + head + 64 + list +
            degree * (5 + share_bytes);
  cost.down = encode(offer).size() + list + degree * keys + list + degree * letter + list + 2 * set + list +
              offer.terms.quorum * signed_by + 4 + degree * tag;
  cost.dense = std::uint64_t{offer.entries} * sizeof(std::int32_t);
  return cost;
}

Result<SumOutcome> MaskedSum::sum(const SumTask& task) {
  const auto devices = static_cast<std::uint32_t>(task.members.size());
  SOTTO_ASSERT(task.fates.size() == devices, "one fate a member");
  if (!terms_.contains(devices)) {
    SOTTO_TRY(terms_[devices], terms_of_cohort(devices, assumed_));
  }
  SumOffer offer;
  offer.session = task.session;
  offer.terms = terms_[devices];
  offer.entries = task.entries;
  SOTTO_TRY(offer.range, plan_range(devices, task.limit, bits_));
  offer.beacon = Secret(simulated_key(seed_, "sum beacon", task.session)).on_device();
  return Course(task, offer, seed_, executor_).run();
}

}  // namespace sotto::fed
