// OpenSSL's objects as owners of themselves.
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>

#include "base/layers.h"

namespace sotto::net {

template <auto free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    free(object);
  }
};

using X509Handle = std::unique_ptr<X509, Freed<X509_free>>;
using KeyHandle = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;

}  // namespace sotto::net
