#include "server/master_blob.h"

#include <algorithm>

#include "fed/wire/published_model.h"

namespace sotto::server {

namespace {

ModelShape shape_of(const RowMatrix& rows) { return {rows.rows(), rows.width(), v1::PRECISION_F32}; }

}  // namespace

std::string master_blob(const ServerState& state) {
  std::string blob = publish(state.shared, v1::PRECISION_F32);
  if (state.memory.rows() > 0) blob += publish(state.memory, v1::PRECISION_F32);
  return blob;
}

Result<ServerState> read_master(std::string_view blob, const ServerState& like) {
  const std::size_t shared = std::min(published_bytes(shape_of(like.shared)), blob.size());
  ServerState state;
  SOTTO_TRY(state.shared, read_published(blob.substr(0, shared), shape_of(like.shared)));
  if (like.memory.rows() > 0) {
    SOTTO_TRY(state.memory, read_published(blob.substr(shared), shape_of(like.memory)));
  } else if (blob.size() != shared) {
    return fail(Code::bad_input, "the model in the store is larger than its task's");
  }
  return state;
}

}  // namespace sotto::server
