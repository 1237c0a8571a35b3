#include "base/secret_stream.h"

#include <openssl/evp.h>
#include <sodium.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/assert.h"

namespace sotto::base {

SecretKey simulated_key(std::uint64_t seed, const char* purpose, std::uint64_t first, std::uint64_t second) {
  SecretKey key;
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, key.size());
  for (const std::uint64_t number : {seed, first, second})
    crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(&number), sizeof number);
  crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(purpose), std::strlen(purpose));
  crypto_generichash_final(&state, reinterpret_cast<unsigned char*>(key.data()), key.size());
  return key;
}

SecretKey system_key() {
  SOTTO_ASSERT(sodium_init() >= 0, "the system's random generator answers");
  SecretKey key;
  randombytes_buf(key.data(), key.size());
  return key;
}

struct SecretStream::Cipher {
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  alignas(64) std::array<std::byte, buffer_bytes> buffer;
  std::size_t used = buffer_bytes;

  // The next `count` bytes of the stream: the counter's blocks are what zeros become.
  void make(std::byte* out, std::size_t count) {
    static constexpr std::array<unsigned char, buffer_bytes> zeros{};
    for (std::size_t done = 0; done < count; done += buffer_bytes) {
      const auto now = static_cast<int>(std::min(count - done, buffer_bytes));
      int made = 0;
      const int ok =
          EVP_EncryptUpdate(context, reinterpret_cast<unsigned char*>(out + done), &made, zeros.data(), now);
      SOTTO_ASSERT(ok == 1 && made == now, "AES in counter mode gives a byte for a byte");
    }
  }
  void refill() {
    make(buffer.data(), buffer.size());
    used = 0;
  }
};

SecretStream::SecretStream(const SecretKey& key, std::uint64_t number) : cipher_(new Cipher) {
  std::array<unsigned char, 16> start{};  // the stream's number, then the counter of blocks
  for (unsigned n = 0; n < 8; ++n) start[n] = static_cast<unsigned char>(number >> (56 - 8 * n));
  const int ok = EVP_EncryptInit_ex(cipher_->context, EVP_aes_256_ctr(), nullptr,
                                    reinterpret_cast<const unsigned char*>(key.data()), start.data());
  SOTTO_ASSERT(cipher_->context != nullptr && ok == 1, "AES-256-CTR is there");
}

SecretStream::SecretStream(SecretKey&& key, std::uint64_t number) : SecretStream(std::as_const(key), number) {
  sodium_memzero(key.data(), key.size());
}

SecretStream::SecretStream(SecretStream&& other) noexcept : cipher_(std::exchange(other.cipher_, nullptr)) {}

SecretStream::~SecretStream() {
  if (cipher_ == nullptr) return;
  EVP_CIPHER_CTX_free(cipher_->context);  // wipes the key
  sodium_memzero(cipher_->buffer.data(), cipher_->buffer.size());
  delete cipher_;
}

void SecretStream::fill(std::span<std::byte> out) {
  while (!out.empty()) {
    if (cipher_->used == buffer_bytes) cipher_->refill();
    const std::size_t now = std::min(out.size(), buffer_bytes - cipher_->used);
    std::copy_n(cipher_->buffer.data() + cipher_->used, now, out.data());
    cipher_->used += now;
    out = out.subspan(now);
  }
}

std::uint64_t SecretStream::next_u64() {
  std::uint64_t number = 0;
  fill(std::as_writable_bytes(std::span(&number, 1)));
  return number;
}

template <class Number, class Each>
void SecretStream::combine(std::span<Number> numbers, const Each& each) {
  // What an odd number of bytes left over begins in the middle of a word: gathered one by one.
  while (!numbers.empty() && cipher_->used % sizeof(Number) != 0) {
    Number word;
    fill(std::as_writable_bytes(std::span(&word, 1)));
    numbers.front() = each(numbers.front(), word);
    numbers = numbers.subspan(1);
  }
  while (!numbers.empty()) {
    if (cipher_->used == buffer_bytes) cipher_->refill();
    const std::size_t now = std::min(numbers.size(), (buffer_bytes - cipher_->used) / sizeof(Number));
    const std::byte* words = cipher_->buffer.data() + cipher_->used;
    for (std::size_t n = 0; n < now; ++n) {
      Number word;
      std::memcpy(&word, words + n * sizeof(Number), sizeof(Number));
      numbers[n] = each(numbers[n], word);
    }
    cipher_->used += now * sizeof(Number);
    numbers = numbers.subspan(now);
  }
}

namespace {
constexpr auto plus = [](auto a, auto b) { return static_cast<decltype(a)>(a + b); };
constexpr auto minus = [](auto a, auto b) { return static_cast<decltype(a)>(a - b); };
}  // namespace

void SecretStream::add_to(std::span<std::uint32_t> numbers) { combine(numbers, plus); }
void SecretStream::add_to(std::span<std::uint64_t> numbers) { combine(numbers, plus); }
void SecretStream::subtract_from(std::span<std::uint32_t> numbers) { combine(numbers, minus); }
void SecretStream::subtract_from(std::span<std::uint64_t> numbers) { combine(numbers, minus); }

}  // namespace sotto::base
