#include "device/blob_fetch.h"

#include <algorithm>

#include "fed/wire/signed_request.h"
#include "fed/wire/transport.h"

namespace sotto::device {

namespace {

Error refuse_download(const char* why) {
  return fail(Code::bad_input, std::string("a download is refused: ") + why);
}

}  // namespace

bool fetchable(const v1::BlobRef& ref, std::uint64_t most_bytes) {
  return ref.hash().size() == sizeof(Bytes32) && ref.bytes() > 0 && ref.bytes() <= most_bytes;
}

std::string BlobFetch::next() const {
  v1::FetchRequest request;
  request.set_hash(ref_.hash());
  request.set_offset(data_.size());
  request.set_most(
      static_cast<std::uint32_t>(std::min<std::uint64_t>(ref_.bytes() - data_.size(), most_chunk_bytes)));
  return request.SerializeAsString();
}

Status BlobFetch::take(const std::string& reply) {
  v1::FetchReply piece;
  if (!piece.ParseFromString(reply)) return refuse_download("a piece does not decode");
  if (piece.total() != ref_.bytes()) return refuse_download("it has another size than was said");
  if (piece.data().empty()) return refuse_download("a piece has nothing in it");
  if (piece.data().size() > ref_.bytes() - data_.size())
    return refuse_download("more came than was asked for");
  data_ += piece.data();
  return Done{};
}

bool BlobFetch::begin_anew() {
  if (!begun_ || !complete() || blob_hash(data_) == ref_.hash()) return false;
  data_.clear();
  begun_ = false;
  return true;
}

Result<std::string> BlobFetch::finish() && {
  if (blob_hash(data_) != ref_.hash()) return refuse_download("its bytes are not those of its name");
  return std::move(data_);
}

}  // namespace sotto::device
