#include "fed/secure/paillier_sum.h"

#include <algorithm>
#include <cstring>

#include "fed/secure/refusals.h"

namespace sotto::fed {

namespace {

// The bits of a slot: sums of values in 0 … 2·limit.
std::uint32_t slot_bits(const PaillierShape& shape) { return shape.range.bits; }

// `bits` bits at a place, counted from the low end of a number whose high byte comes first.
void put_bits(BigBytes& number, std::size_t at, std::uint32_t bits, std::uint64_t value) {
  for (std::uint32_t bit = 0; bit < bits; ++bit)
    if ((value >> bit) & 1) {
      std::uint8_t& byte = number[number.size() - 1 - (at + bit) / 8];
      byte = static_cast<std::uint8_t>(byte | (1u << ((at + bit) % 8)));
    }
}
std::uint64_t get_bits(const BigBytes& number, std::size_t at, std::uint32_t bits) {
  std::uint64_t value = 0;
  for (std::uint32_t bit = 0; bit < bits; ++bit) {
    const std::uint8_t byte = number[number.size() - 1 - (at + bit) / 8];
    value |= std::uint64_t{(byte >> ((at + bit) % 8)) & 1u} << bit;
  }
  return value;
}

}  // namespace

void CiphertextsMessage::write(Writer& out) const {
  out.number(session).number(each).array(std::span(std::as_const(ciphertexts)));
}
Result<CiphertextsMessage> CiphertextsMessage::read(Reader& in) {
  CiphertextsMessage message;
  message.session = in.number<std::uint64_t>();
  message.each = in.number<std::uint32_t>();
  message.ciphertexts = in.array<std::byte>();
  if (in.spoiled() || message.each == 0 || message.ciphertexts.size() % message.each != 0)
    return fail(Code::bad_input, "message refused: ciphertexts of one length must fill it");
  return message;
}

std::uint32_t PaillierShape::slots(const PaillierKey& key) const {
  return static_cast<std::uint32_t>(key.plain_bits() / slot_bits(*this));
}
std::uint32_t PaillierShape::ciphertexts(const PaillierKey& key) const {
  return (entries + slots(key) - 1) / slots(key);
}

Result<CiphertextsMessage> encrypt_input(const PaillierShape& shape, const PaillierKey& key,
                                         std::span<const std::int32_t> input, const Secret& entropy) {
  const std::int32_t limit = shape.range.limit;
  SOTTO_TRY_DONE(check_input(input, shape.entries, limit));
  const std::uint32_t slots = shape.slots(key), bits = slot_bits(shape);
  CiphertextsMessage message{shape.session, static_cast<std::uint32_t>(key.ciphertext_bytes()), {}};
  SecretStream random = entropy.stream();
  Writer out;
  for (std::size_t first = 0; first < input.size(); first += slots) {
    BigBytes plain(key.plain_bits() / 8 + 1, 0);
    for (std::size_t n = first; n < std::min<std::size_t>(first + slots, input.size()); ++n)
      put_bits(plain, (n - first) * bits, bits, static_cast<std::uint64_t>(std::int64_t{input[n]} + limit));
    const BigBytes ciphertext = key.encrypt(plain, random);
    wipe(plain);
    out.raw(std::as_bytes(std::span(ciphertext)));
  }
  message.ciphertexts = std::move(out).take();
  return message;
}

PaillierServer::PaillierServer(const PaillierShape& shape, const PaillierKey& key)
    : shape_(shape), key_(key), heard_(shape.devices) {}

Status PaillierServer::receive(std::uint32_t from, const CiphertextsMessage& message) {
  if (released_) return sum_refused("ciphertexts after the sum");
  if (message.session != shape_.session) return sum_refused("a message of another session");
  if (from >= shape_.devices) return sum_refused("ciphertexts of a device outside the cohort");
  if (heard_.has(from)) return sum_refused("a repeated message");
  const std::size_t each = key_.ciphertext_bytes(), count = shape_.ciphertexts(key_);
  if (message.each != each || message.ciphertexts.size() != each * count)
    return sum_refused("not as many ciphertexts as the sum has");
  std::vector<std::span<const std::uint8_t>> given(count);
  for (std::size_t n = 0; n < count; ++n) {
    given[n] = {reinterpret_cast<const std::uint8_t*>(message.ciphertexts.data()) + n * each, each};
    if (!key_.is_ciphertext(given[n])) return sum_refused("what was sent is no ciphertext");
  }
  for (std::size_t n = 0; n < count; ++n) {
    if (product_.size() == n)
      product_.emplace_back(given[n].begin(), given[n].end());
    else
      product_[n] = key_.add(product_[n], given[n]);
  }
  heard_.insert(from);
  return Done{};
}

Result<CiphertextsMessage> PaillierServer::release() && {
  if (std::exchange(released_, true)) return sum_refused("a sum is released once");
  if (heard_.size() < shape_.least_survivors) return sum_refused("fewer survivors than the plan allows");
  Writer out;
  for (const BigBytes& one : product_) out.raw(std::as_bytes(std::span(one)));
  return CiphertextsMessage{shape_.session, static_cast<std::uint32_t>(key_.ciphertext_bytes()),
                            std::move(out).take()};
}

Result<std::vector<std::int64_t>> open_total(const PaillierShape& shape, const PaillierOpener& opener,
                                             const CiphertextsMessage& product, std::uint32_t survivors) {
  if (survivors < shape.least_survivors) return sum_refused("fewer survivors than the plan allows");
  const PaillierKey& key = opener.key();
  const std::size_t each = key.ciphertext_bytes();
  if (product.session != shape.session || product.each != each ||
      product.ciphertexts.size() != each * shape.ciphertexts(key))
    return sum_refused("the product is not that of this sum");
  const std::uint32_t slots = shape.slots(key), bits = slot_bits(shape);
  const std::int64_t most = std::int64_t{shape.range.limit} * survivors;
  std::vector<std::int64_t> values(shape.entries);
  for (std::size_t first = 0; first < values.size(); first += slots) {
    const auto* start = reinterpret_cast<const std::uint8_t*>(product.ciphertexts.data());
    SOTTO_TRY(const BigBytes plain, opener.open({start + first / slots * each, each}));
    for (std::size_t n = first; n < std::min<std::size_t>(first + slots, values.size()); ++n)
      values[n] = static_cast<std::int64_t>(get_bits(plain, (n - first) * bits, bits)) - most;
  }
  if (!in_range(values, shape.range.limit, survivors)) return sum_refused("the total is out of range");
  return values;
}

PaillierSum::PaillierSum(std::uint32_t key_bits, std::uint32_t least, std::uint64_t seed, Executor& executor)
    : opener_(PaillierOpener::make(key_bits, Secret(simulated_key(seed, "paillier primes")))),
      least_(least),
      seed_(seed),
      executor_(executor) {}

Result<SumOutcome> PaillierSum::sum(const SumTask& task) {
  PaillierShape shape{.session = task.session,
                      .devices = static_cast<std::uint32_t>(task.members.size()),
                      .least_survivors = least_,
                      .entries = task.entries,
                      .range = {}};
  // Values in 0 … 2·limit need as many bits as a signed sum within ±limit.
  SOTTO_TRY(shape.range, plan_range(shape.devices, task.limit));
  const PaillierKey& key = opener_.key();
  PaillierServer server(shape, key);
  SumOutcome outcome;
  const auto make = [&](std::uint32_t place, Bytes& sent) -> Status {
    if (task.fates[place] <= Fate::input) return Done{};
    std::vector<std::int32_t> input(task.entries, 0);
    SOTTO_TRY_DONE(task.input(place, input));
    const Secret entropy(simulated_key(seed_, "paillier entropy", task.session, task.members[place]));
    SOTTO_TRY(const CiphertextsMessage made, encrypt_input(shape, key, input, entropy));
    sent = encode(made);
    return Done{};
  };
  const auto take = [&](std::uint32_t place, const Bytes& sent) -> Status {
    if (sent.empty()) return Done{};
    outcome.traffic.up += sent.size();
    SOTTO_TRY(const auto got, decode<CiphertextsMessage>(sent));
    return server.receive(place, got);
  };
  SOTTO_TRY_DONE(in_batches<Bytes>(executor_, task.members.size(), make, take));
  outcome.survivors = server.heard();
  SOTTO_TRY(const CiphertextsMessage product, std::move(server).release());
  const Bytes sent = encode(product);
  outcome.traffic.down += sent.size();
  SOTTO_TRY(const auto got, decode<CiphertextsMessage>(sent));
  SOTTO_TRY(outcome.values, open_total(shape, opener_, got, outcome.survivors.size()));
  return outcome;
}

}  // namespace sotto::fed
