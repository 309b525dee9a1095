#pragma once

// The contract of all stores of blobs: the tests of blob_contract_test.cc run
// with each kind of store.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "server/store/blob_budget.h"
#include "server/store/blob_store.h"

namespace bvhmill::testing {

// Blobs of one kind of store, which are none at first.
class BlobStoreKind {
 public:
  virtual ~BlobStoreKind() = default;
  // A store of them, as a server opens it. Null if that fails.
  virtual std::unique_ptr<server::BlobStore> Open(
      const server::BlobQuota& quota) = 0;
  // True if several stores may be open at once.
  virtual bool is_shared() const = 0;
  // True if an upload goes on where the one before has ended.
  virtual bool keeps_uploads() const { return true; }
};

struct BlobStoreMaker {
  std::string name;
  // Null, with the reason, if the kind cannot be tested here.
  std::function<std::unique_ptr<BlobStoreKind>(std::string* why)> make;
};

inline void PrintTo(const BlobStoreMaker& maker, std::ostream* out) {
  *out << maker.name;
}

class BlobContract : public ::testing::TestWithParam<BlobStoreMaker> {
 protected:
  void SetUp() override {
    std::string why;
    kind_ = GetParam().make(&why);
    if (kind_ == nullptr) GTEST_SKIP() << why;
    Reopen();
  }
  void Reopen(const server::BlobQuota& quota = {}) {
    store_ = nullptr;
    store_ = kind_->Open(quota);
    ASSERT_NE(store_, nullptr);
  }
  // Another server, if the kind has several; else this one, anew.
  server::BlobStore* Other() {
    if (!kind_->is_shared()) {
      Reopen();
      return store_.get();
    }
    if (other_ == nullptr) other_ = kind_->Open({});
    return other_.get();
  }

  std::unique_ptr<BlobStoreKind> kind_;
  std::unique_ptr<server::BlobStore> store_;
  std::unique_ptr<server::BlobStore> other_;
};

}  // namespace bvhmill::testing
