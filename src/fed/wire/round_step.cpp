#include "fed/wire/round_step.h"

#include <fmt/core.h>

#include <cstring>

#include "fed/wire/signed_request.h"

namespace sotto::fed {

StepAnswer refuse_step(v1::Refusal refusal, std::string why) {
  StepAnswer answer;
  answer.refusal = refusal;
  answer.why = std::move(why);
  return answer;
}

StepAnswer step_progress(v1::StepReply::Progress progress, std::string data) {
  StepAnswer answer;
  answer.progress = progress;
  answer.data = std::move(data);
  return answer;
}

std::uint64_t message_digest(std::string_view message) {
  const std::string hash = blob_hash(message);
  std::uint64_t digest = 0;
  std::memcpy(&digest, hash.data(), sizeof(digest));
  return digest;
}

StepAnswer Upload::take(const v1::StepRequest& piece, std::uint64_t most, std::string& whole) {
  if (piece.total() > most)
    return refuse_step(v1::REFUSAL_TOO_LARGE,
                       fmt::format("a message of this step has at most {} bytes", most));
  if (piece.offset() > piece.total() || piece.data().size() > piece.total() - piece.offset())
    return refuse_step(v1::REFUSAL_BAD_MESSAGE, "a piece reaches beyond the end of its message");
  if (piece.offset() == 0) {  // another try, or another message
    clear();
    total_ = piece.total();
    phase_ = piece.phase();
  }
  const bool fits = piece.phase() == phase_ && piece.total() == total_ && piece.offset() == held_.size();
  if (fits) {
    if (piece.offset() == 0 && piece.data().size() == piece.total()) {
      whole = piece.data();
      return step_progress(v1::StepReply::TAKEN);
    }
    held_ += piece.data();
    if (held_.size() == total_) {
      whole = std::move(held_);
      clear();
      return step_progress(v1::StepReply::TAKEN);
    }
  }
  StepAnswer more = step_progress(v1::StepReply::MORE);
  more.next_offset = piece.phase() == phase_ && piece.total() == total_ ? held_.size() : 0;
  return more;
}

}  // namespace sotto::fed
