// TakenMoves: which moves this machine has taken in, a small file each in a folder: a file of a device that
// moved is taken in once, though there are copies of it.
//
// Laws: what take() answered well to is on the disk; the first taker stays the taker, whoever asks at the
// same time.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "device/vault_opening.h"

namespace sotto::device {

class TakenMoves {
 public:
  explicit TakenMoves(std::string folder) : folder_(std::move(folder)) {}

  // Who took it: the mark of a vault (VaultState); none: nobody on this machine.
  [[nodiscard]] Result<std::optional<Bytes32>> taker(const MoveId& move) const;
  // Fails if it is another's.
  [[nodiscard]] Status take(const MoveId& move, const Bytes32& taker) const;

 private:
  [[nodiscard]] std::string path_of(const MoveId& move) const;

  std::string folder_;
};

}  // namespace sotto::device
