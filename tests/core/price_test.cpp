// SPDX-License-Identifier: Apache-2.0
#include "core/price.hpp"

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("a price is an amount, a currency of three capital letters, and an hour") {
  CHECK(parse_price("3.06USD/h") == Price{3.06, "USD"});
  CHECK(parse_price("2.5 EUR/h") == Price{2.5, "EUR"});
  CHECK(parse_price("0CHF/h") == Price{0, "CHF"});
  for (const char* text : {"3.06",
                           "3.06/h",
                           "3.06USD",
                           "3.06usd/h",
                           "3.06US/h",
                           "3.06$/h",
                           "$3.06/h",
                           "USD/h",
                           "3.06USD/min",
                           "3.06EURO/h",
                           "-1USD/h",
                           "-0USD/h",
                           "infUSD/h",
                           "nanUSD/h",
                           "1e10USD/h",
                           ""}) {
    CAPTURE(text);
    CHECK_FALSE(parse_price(text));
  }
}

TEST_CASE("a price is read back as it was written") {
  for (const double per_hour : {0.0, 1.0 / 3, 32.77, 1e-9, 1e9}) {
    const Price price = {per_hour, "USD"};
    CHECK(parse_price(price_text(price)) == price);
  }
}

TEST_CASE("the cost of half an hour is half of the price per hour") {
  CHECK(Price{3.0, "EUR"}.of(1800) == 1.5);
}

TEST_CASE("amounts have two decimals, small ones three digits") {
  CHECK(format_money(12.345, "USD") == "12.35 USD");
  CHECK(format_money(1234.5, "USD") == "1234 USD");
  CHECK(format_money(0.0123456, "EUR") == "0.0123 EUR");
  CHECK(format_money(1, "EUR") == "1.00 EUR");
  CHECK(format_money(0, "EUR") == "0 EUR");
}

}  // namespace
}  // namespace epochcast::tests
