#include <gtest/gtest.h>

#include "store/postgres/store.h"

namespace muster::store::postgres {
namespace {

TEST(WithoutSecrets, LeavesOutThePassword) {
  EXPECT_EQ(without_secrets("postgres://ann:s3cret@db.example:5433/jobs"), "postgres://ann@db.example:5433/jobs");
  EXPECT_EQ(without_secrets("postgresql://ann:p%40ss@db/jobs"), "postgres://ann@db/jobs");
}

TEST(WithoutSecrets, LeavesOutPasswordsAmongTheParameters) {
  const std::string shown = without_secrets("postgres://db/jobs?user=ann&password=s3cret&sslmode=require&sslpassword=s3cret");
  EXPECT_EQ(shown.find("s3cret"), std::string::npos) << shown;
  EXPECT_NE(shown.find("sslmode=require"), std::string::npos) << shown;
}

TEST(WithoutSecrets, ReadsTheOtherForm) {
  EXPECT_EQ(without_secrets("host=db port=5433 dbname=jobs user=ann password='s3 cret'"), "postgres://ann@db:5433/jobs");
}

TEST(WithoutSecrets, NamesEveryHost) {
  EXPECT_EQ(without_secrets("postgres://ann:x@a:1,b:2/jobs"), "postgres://ann@a:1,b:2/jobs");
  EXPECT_EQ(without_secrets("host=a,b port=5 dbname=jobs"), "postgres://a:5,b:5/jobs");
}

TEST(WithoutSecrets, ShowsNothingOfWhatItCannotRead) {
  for (const char* url : {"postgres://ann:s3cret%zz@db/jobs", "password=s3cret nonsense", "postgres://ann:s3cret@[db/jobs"})
    EXPECT_EQ(without_secrets(url).find("s3cret"), std::string::npos) << url;
}

}  // namespace
}  // namespace muster::store::postgres
