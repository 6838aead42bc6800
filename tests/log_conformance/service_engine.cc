#include "tests/log_conformance/service_engine.h"

#include "tests/log_conformance/segment_engine.h"
#include "tests/support/must.h"
#include "tests/support/temp_dir.h"
#include "turnlog/service/remote_log.h"
#include "turnlog/service/service.h"

namespace turnlog {
namespace {

class ServedStore : public EngineStore {
 public:
  explicit ServedStore(std::uint64_t seed) : store_(SegmentEngine().make(seed)) {}
  ~ServedStore() override { StopService(); }

  Result<std::unique_ptr<Log>> Open(OpenMode mode) override {
    if (service_ == nullptr) StartService();
    return OpenRemoteLog("unix:" + Socket().string(), {.mode = mode, .token = {}});
  }

  void Kill(std::unique_ptr<Log> writer) override {
    service_.reset();
    store_->Kill(std::move(log_));
    writer.reset();
  }

  void LoseDerived() override {
    StopService();
    store_->LoseDerived();
  }

  std::string Check() override { return store_->Check(); }

 private:
  std::filesystem::path Socket() const { return folder_ / "socket"; }

  void StartService() {
    log_ = Must(store_->Open(OpenMode::kCreate));
    service_ = Must(Service::Start(*log_, {.socket = Socket(), .threads = 4}));
  }

  void StopService() {
    service_.reset();
    if (log_ != nullptr) Must(log_->Close());
    log_.reset();
  }

  const TempDir folder_;
  const std::unique_ptr<EngineStore> store_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<Service> service_;
};

}  // namespace

TestedEngine ServiceEngine() {
  return {"Service", [](std::uint64_t seed) { return std::make_unique<ServedStore>(seed); }, true};
}

}  // namespace turnlog
