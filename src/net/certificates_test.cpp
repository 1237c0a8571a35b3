#include "net/certificates.h"

#include <gtest/gtest.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include "net/testing/trial.h"

namespace sotto::net::certificates_test {
namespace {

constexpr std::int64_t day_s = 86400;

// OpenSSL's own judgement of a chain, at a time and for a purpose.
int verdict(const PemPair& leaf, const PemPair& root, std::int64_t time_s, int purpose) {
  const auto own = read_pem_certificates(leaf.certificate, "leaf").value();
  const auto parent = read_pem_certificates(root.certificate, "root").value();
  const std::unique_ptr<X509_STORE, Freed<X509_STORE_free>> store(X509_STORE_new());
  X509_STORE_add_cert(store.get(), parent.front().get());
  const std::unique_ptr<X509_STORE_CTX, Freed<X509_STORE_CTX_free>> context(X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), store.get(), own.front().get(), nullptr);
  X509_VERIFY_PARAM_set_time(X509_STORE_CTX_get0_param(context.get()), time_s);
  X509_STORE_CTX_set_purpose(context.get(), purpose);
  X509_verify_cert(context.get());
  return X509_STORE_CTX_get_error(context.get());
}

TEST(Certificates, OpensslTakesWhatIsMade) {
  const std::int64_t now = 1'700'000'000;
  const PemPair root = make_ca("root", {.now_s = now, .days = 10}).value();
  const PemPair other = make_ca("root", {.now_s = now, .days = 10}).value();
  const PemPair leaf = make_server_certificate(root, {"a.example", "10.1.2.3", "::1"}, {now, 5}).value();
  EXPECT_EQ(verdict(leaf, root, now, X509_PURPOSE_SSL_SERVER), X509_V_OK);
  EXPECT_EQ(verdict(leaf, root, now + 5 * day_s + 1, X509_PURPOSE_SSL_SERVER), X509_V_ERR_CERT_HAS_EXPIRED);
  EXPECT_NE(verdict(leaf, other, now, X509_PURPOSE_SSL_SERVER), X509_V_OK);
  EXPECT_NE(verdict(leaf, root, now, X509_PURPOSE_SSL_CLIENT), X509_V_OK);
  const auto read = read_pem_certificates(leaf.certificate, "leaf").value();
  EXPECT_EQ(X509_check_host(read.front().get(), "a.example", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_host(read.front().get(), "b.example", 0, 0, nullptr), 0);
  EXPECT_EQ(X509_check_ip_asc(read.front().get(), "10.1.2.3", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(read.front().get(), "::1", 0), 1);
  const PemPair client = make_client_certificate(root, "aggregator", {now, 5}).value();
  EXPECT_EQ(verdict(client, root, now, X509_PURPOSE_SSL_CLIENT), X509_V_OK);
  EXPECT_NE(verdict(client, root, now, X509_PURPOSE_SSL_SERVER), X509_V_OK);
  EXPECT_EQ(valid_until_s({"leaf", leaf.certificate}).value(), now + 5 * day_s);
}

TEST(Certificates, HostsAreNamesOrAddresses) {
  for (const char* host : {"", "a.example:80", "https://a", "a,DNS:b", "a b", "a/b"})
    EXPECT_FALSE(make_server_certificate(trial::ca(), {host}, {trial::now_s(), 1}).ok()) << host;
  EXPECT_FALSE(make_server_certificate(trial::ca(), {}, {trial::now_s(), 1}).ok());
  EXPECT_FALSE(make_server_certificate(trial::ca(), {"a"}, {trial::now_s(), 0}).ok());
  EXPECT_TRUE(
      make_server_certificate(trial::ca(), {std::string(80, 'a') + ".example"}, {trial::now_s(), 1}).ok());
}

void expect_words(const Status& status, const std::string& words) {
  ASSERT_FALSE(status.ok()) << words;
  EXPECT_NE(status.error().message.find(words), std::string::npos) << status.error().message;
  EXPECT_EQ(status.error().message.find("PRIVATE KEY-----\nM"), std::string::npos);
}

TEST(Certificates, ACheckSaysWhatIsWrongAndWhere) {
  const PemFile chain{"server.pem", trial::server_pair().certificate};
  const PemFile key{"server-key.pem", trial::server_pair().key};
  const std::int64_t now = trial::now_s();
  EXPECT_TRUE(check_pair(chain, key, "localhost", now).ok());
  EXPECT_TRUE(check_pair(chain, key, "127.0.0.1", now).ok());
  expect_words(check_pair({"a.pem", "nonsense"}, key, "", now), "a.pem holds no readable certificate");
  expect_words(check_pair(chain, {"k.pem", "nonsense"}, "", now), "k.pem holds no readable key");
  expect_words(check_pair(chain, {"k.pem", trial::ca().key}, "", now),
               "the key in k.pem does not belong to the first certificate in server.pem");
  expect_words(check_pair(chain, key, "", now + 3 * day_s), "server.pem: the certificate expired on 20");
  expect_words(check_pair(chain, key, "", now - 3 * day_s), "server.pem: the certificate is valid from 20");
  expect_words(check_pair(chain, key, "other.example", now), "not for 'other.example'");
  EXPECT_TRUE(check_ca({"ca.pem", trial::ca().certificate}, now).ok());
  expect_words(check_ca({"ca.pem", chain.text}, now), "ca.pem: this certificate may not sign others");
}

TEST(Certificates, HalfAChainIsNoChain) {
  const std::string& whole = trial::server_pair().certificate;
  EXPECT_EQ(read_pem_certificates(whole + trial::ca().certificate, "chain").value().size(), 2u);
  EXPECT_FALSE(read_pem_certificates(whole + whole.substr(0, whole.size() / 2), "chain").ok());
}

}  // namespace
}  // namespace sotto::net::certificates_test
