// What travels between coordinator and device. Everything on the wire is one of these.
//
// Laws: only types that declare themselves messages encode; a decoded message has been checked
// against the limits; a message that does not decode names why and touches nothing.
// Layout: "SOTT", version u16, kind u16, then the fields (base/codec.h).
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "base/codec.h"
#include "base/row_matrix.h"
#include "privacy/contribution.h"

namespace sotto::fed {

inline constexpr std::uint16_t wire_version = 1;

enum class MessageKind : std::uint16_t {
  model = 1,
  contribution = 2,
  item_set = 3,
  weights = 4,
  packed_contribution = 5,  // fed/wire/packed_contribution.h
  // Secure sums: fed/secure.
  sum_offer = 10,
  sum_keys = 11,
  sum_neighbour_keys = 12,
  sum_letters = 13,
  sum_masked = 14,
  sum_survivors = 15,
  sum_agreement = 16,
  sum_certificate = 17,
  sum_reveal = 18,
  sum_part = 19,
  sum_ciphertexts = 20,
};

// Coordinator → device: the shared model of a round.
struct ModelMessage {
  static constexpr MessageKind kind = MessageKind::model;
  std::uint32_t round = 0;
  RowMatrix shared;

  void write(Writer& out) const;
  [[nodiscard]] static Result<ModelMessage> read(Reader& in);
};

// Device → coordinator: one contribution, in canonical form. Who sent it is not in it.
struct ContributionMessage {
  static constexpr MessageKind kind = MessageKind::contribution;
  std::uint32_t round = 0;
  Contribution contribution{1};

  void write(Writer& out) const;
  [[nodiscard]] static Result<ContributionMessage> read(Reader& in);
};

template <class M>
concept Message = requires(const M message, Writer& out, Reader& in) {
  { M::kind } -> std::convertible_to<MessageKind>;
  {message.write(out)};
  { M::read(in) } -> std::same_as<Result<M>>;
};

void write_header(Writer& out, MessageKind kind);
[[nodiscard]] Status read_header(Reader& in, MessageKind expected);

template <Message M>
[[nodiscard]] Bytes encode(const M& message) {
  Writer out;
  write_header(out, M::kind);
  message.write(out);
  return std::move(out).take();
}

template <Message M>
[[nodiscard]] Result<M> decode(std::span<const std::byte> bytes) {
  Reader in(bytes);
  SOTTO_TRY_DONE(read_header(in, M::kind));
  SOTTO_TRY(M message, M::read(in));
  if (!in.finished()) return fail(Code::bad_input, "message refused: bytes follow its end");
  return message;
}

// The exact sizes of encoded messages, for accounting without encoding.
[[nodiscard]] std::uint64_t encoded_model_bytes(std::size_t rows, std::size_t width);
[[nodiscard]] std::uint64_t encoded_contribution_bytes(std::uint64_t contributions, std::uint64_t rows,
                                                       std::size_t width);

}  // namespace sotto::fed
