#include "net/address.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "net/testing/trial.h"

namespace sotto::net::address_test {
namespace {

TEST(Address, SaysWhatItIs) {
  const Address name = parse_address("example.org:443").value();
  EXPECT_EQ(name.host, "example.org");
  EXPECT_EQ(name.port, 443);
  const Address six = parse_address("[::1]:8443").value();
  EXPECT_EQ(six.host, "::1");
  EXPECT_EQ(parse_address("unix:/run/s").value().path, "/run/s");
}

TEST(Address, RefusesWhatIsNone) {
  for (const char* text : {"", "host", ":80", "host:", "host:65536", "host:8o", "::1:80", "http://host:80",
                           "host:80/", "unix:", "host: 80", "[]:80"}) {
    const auto address = parse_address(text);
    ASSERT_FALSE(address.ok()) << text;
    EXPECT_EQ(address.error().code, Code::usage);
  }
  EXPECT_FALSE(parse_address("unix:/" + std::string(200, 'a')).ok());
}

RC_GTEST_PROP(Address, TextAndBack, (std::uint16_t port, std::uint8_t last)) {
  for (const std::string& host :
       {std::string("a.b"), "10.0.0." + std::to_string(last), std::string("fe80::1")}) {
    const Address address{.path = "", .host = host, .port = port};
    const Address again = parse_address(address.text()).value();
    RC_ASSERT(again.host == host);
    RC_ASSERT(again.port == port);
  }
}

TEST(Address, ConnectsAndSaysWhyNot) {
  const trial::Folder folder;
  const Address nobody = parse_address(folder.socket("none")).value();
  const auto refused = connect_to(nobody, 1000);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("nobody listens"), std::string::npos) << refused.error().message;
  EXPECT_TRUE(can_listen(nobody).ok());
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "none"));  // trying leaves nothing
  const Address unknown{.path = "", .host = "no-such-host.invalid", .port = 1};
  EXPECT_NE(connect_to(unknown, 1000).error().message.find("leads to no address"), std::string::npos);
  const Address foreign{.path = "", .host = "192.0.2.1", .port = 0};  // of documentation, nobody's
  EXPECT_NE(can_listen(foreign).error().message.find("does not have the address"), std::string::npos);
}

}  // namespace
}  // namespace sotto::net::address_test
