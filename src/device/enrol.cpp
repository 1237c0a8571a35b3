#include "device/enrol.h"

#include <fmt/core.h>

#include <cstring>

#include "device/coordinator_channel.h"

namespace sotto::device {

namespace {

// Often enough for a reply that was lost; a server that is away is the caller's to wait for.
constexpr int most_tries = 3;

Error refused(const char* what, const v1::Reply& reply) {
  const Code code = reply.refusal() == v1::REFUSAL_BUSY || reply.refusal() == v1::REFUSAL_STOPPING
                        ? Code::io
                        : Code::bad_input;
  return fail(code, fmt::format("{} was refused by the coordinator (reason {}): {}", what,
                                static_cast<int>(reply.refusal()), reply.why()));
}

std::uint64_t number_of(const Secret& secret) {
  std::uint64_t number = 0;
  std::memcpy(&number, secret.on_device().data(), sizeof number);
  return number;
}

}  // namespace

Result<Enrolment> enrol(Transport& wire, std::string_view token, const Secret& entropy) {
  Enrolment enrolment;
  enrolment.identity_seed = entropy.derive("sotto device identity");
  enrolment.own_seed = number_of(entropy.derive("sotto device streams"));
  const Identity identity(enrolment.identity_seed);
  const std::string request = sign_enrolment(token, identity).SerializeAsString();
  Heard heard;
  for (int n = 0; n < most_tries && heard.what == Heard::What::lost; ++n)
    heard = hear(wire.call(Method::enrol, request));
  if (heard.what != Heard::What::reply) return fail(Code::io, "enrolment: " + heard.why);
  if (heard.reply.refusal() != v1::REFUSAL_NONE) return refused("enrolment", heard.reply);
  v1::EnrolReply reply;
  if (!reply.ParseFromString(heard.reply.body()) || reply.device() != text_of(device_id(identity.open())))
    return fail(Code::bad_input, "enrolment: the coordinator answered for another device");
  enrolment.index = reply.index();
  return enrolment;
}

Status leave(DeviceStore& kept, Transport& wire, bool forget, std::int64_t now_ms) {
  SOTTO_TRY(const auto enrolment, kept.enrolment());
  if (!enrolment) return fail(Code::usage, "this device is not enrolled anywhere");
  CoordinatorChannel channel(kept, enrolment->identity_seed);
  v1::LeaveRequest request;
  request.set_forget(forget);
  SOTTO_TRY(const std::string homes, kept.homes());
  request.set_homes(homes);
  Heard heard;
  for (int n = 0; n < most_tries; ++n) {
    SOTTO_TRY(heard, channel.ask(wire, Method::leave, request.SerializeAsString(), now_ms));
    const v1::Refusal refusal = heard.reply.refusal();
    // The second time our clock is the server's.
    if (heard.what == Heard::What::reply && refusal != v1::REFUSAL_CLOCK && refusal != v1::REFUSAL_REPLAY)
      break;
  }
  if (heard.what != Heard::What::reply) return fail(Code::io, "leaving: " + heard.why);
  const v1::Refusal refusal = heard.reply.refusal();
  // Who is not known there, or no longer welcome, has left.
  if (refusal == v1::REFUSAL_NONE || refusal == v1::REFUSAL_UNKNOWN_DEVICE || refusal == v1::REFUSAL_REVOKED)
    return Done{};
  return refused("leaving", heard.reply);
}

}  // namespace sotto::device
