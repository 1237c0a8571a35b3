#include "host/fleet/hostile_transport.h"

#include "fed/messages.h"
#include "host/fleet/plain_lies.h"
#include "host/fleet/secure_lies.h"

namespace sotto::host {

namespace {

// A contribution with a row that no model has, in the engine's own encoding: rows, width and one row's
// values.
std::string wrong_shape(std::string message) {
  // The rows lie behind header, round, width and count; any of them made huge is a row of no model.
  constexpr std::size_t first_row = 4 + 2 + 2 + 4 + 4 + 8;
  for (std::size_t n = first_row; n < std::min(message.size(), first_row + 4); ++n) message[n] = '\x7f';
  return message;
}

std::string huge_values(std::string message) {
  for (std::size_t n = message.size() / 2; n < message.size(); ++n) message[n] = '\x7f';
  return message;
}

}  // namespace

Result<std::string> HostileTransport::resigned(Method method, const v1::SignedRequest& request,
                                               std::string body) const {
  return wire_.call(method,
                    sign_request(method, std::move(body), request.time_ms(), request.nonce(), identity_)
                        .SerializeAsString());
}

Result<std::string> HostileTransport::spoiled_step(const v1::SignedRequest& request) {
  v1::StepRequest step;
  if (!step.ParseFromString(request.body())) return fail(Code::io, "a step of our own does not decode");
  switch (draws_.below(8)) {
    case 0:  // somebody else's token
      for (char& letter : *step.mutable_token()) letter = static_cast<char>(draws_.below(256));
      break;
    case 1:
      step.set_data(wrong_shape(step.data()));
      break;
    case 2:
      step.set_data(huge_values(step.data()));
      break;
    case 3:  // more than anybody may send
      step.set_total(std::uint64_t{1} << 50);
      break;
    default:
      step.set_data(lie_in_contribution(step.data(), draws_));
      step.set_total(step.data().size());
  }
  return resigned(Method::step, request, step.SerializeAsString());
}

Result<std::string> HostileTransport::lying_step(const v1::SignedRequest& request, v1::StepRequest step) {
  constexpr std::uint32_t one_of = 3;
  if (!step.poll() && draws_.below(one_of) == 0) step.set_data(lie_in_sum(step.phase(), step.data()));
  return resigned(Method::step, request, step.SerializeAsString());
}

Result<std::string> HostileTransport::call(Method method, const std::string& request) {
  v1::SignedRequest parsed;
  if (method == Method::enrol || !parsed.ParseFromString(request)) return wire_.call(method, request);
  v1::StepRequest step;
  if (method == Method::step && step.ParseFromString(parsed.body()) && step.phase() != v1::PHASE_CONTRIBUTION)
    return lying_step(parsed, std::move(step));
  switch (draws_.below(8)) {
    case 0: {  // a forged signature
      parsed.mutable_signature()->at(draws_.below(64)) ^= 1;
      return wire_.call(method, parsed.SerializeAsString());
    }
    case 1: {  // the same bytes again
      auto first = wire_.call(method, request);
      if (!first.ok()) return first;
      return wire_.call(method, request);
    }
    case 2: {  // not even a message
      std::string noise(1 + draws_.below(2000), '\0');
      for (char& letter : noise) letter = static_cast<char>(draws_.below(256));
      return wire_.call(method, noise);
    }
    case 3:  // a body that is none
      return resigned(method, parsed, std::string(draws_.below(100), '\xff'));
    default:
      return method == Method::step ? spoiled_step(parsed) : wire_.call(method, request);
  }
}

}  // namespace sotto::host
