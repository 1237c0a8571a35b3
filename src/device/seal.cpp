#include "device/seal.h"

#include <sodium.h>

namespace sotto::device {

namespace {

constexpr std::size_t nonce_bytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t tag_bytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;

const unsigned char* letters(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string sealed(const Secret& key, std::string_view plain, std::string_view name) {
  std::string out(nonce_bytes + plain.size() + tag_bytes, '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(out.data());
  randombytes_buf(bytes, nonce_bytes);
  crypto_aead_xchacha20poly1305_ietf_encrypt(bytes + nonce_bytes, nullptr, letters(plain), plain.size(),
                                             letters(name), name.size(), nullptr, bytes,
                                             key.on_device().data());
  return out;
}

std::optional<std::string> unsealed(const Secret& key, std::string_view sealed, std::string_view name) {
  if (sealed.size() < nonce_bytes + tag_bytes) return std::nullopt;
  std::string plain(sealed.size() - nonce_bytes - tag_bytes, '\0');
  const int code = crypto_aead_xchacha20poly1305_ietf_decrypt(
      reinterpret_cast<unsigned char*>(plain.data()), nullptr, nullptr, letters(sealed) + nonce_bytes,
      sealed.size() - nonce_bytes, letters(name), name.size(), letters(sealed), key.on_device().data());
  if (code != 0) return std::nullopt;
  return plain;
}

}  // namespace sotto::device
