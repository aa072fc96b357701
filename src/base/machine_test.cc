#include "base/machine.h"

#include <fstream>

#include "base/test_support.h"

namespace uzushio {
namespace {

// A root folder laid out as the kernel lays out /proc and /sys.
class Machine : public FolderTest {
 protected:
  Machine() {
    Write("proc/meminfo", "MemTotal:       16000000 kB\nMemFree:         1000 kB\n");
    Write("proc/self/status", "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-5,8,10-11\n");
  }
  void Write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void Version2(const std::string& group, const std::string& mounted = "/") const {
    Write("proc/self/cgroup", "0::" + group + "\n");
    Write("proc/self/mountinfo",
          "22 1 0:2 / /proc rw shared:1 - proc proc rw\n"
          "30 22 0:26 " +
              mounted + " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
  }
  void Version1(const std::string& group, const std::string& mounted = "/") const {
    Write("proc/self/cgroup", "9:cpu,cpuacct:" + group + "\n4:memory:" + group + "\n1:name=systemd:/\n");
    Write("proc/self/mountinfo", "31 22 0:30 " + mounted +
                                     " /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
                                     "32 22 0:31 " +
                                     mounted + " /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  }
  int64_t memory() const { return MachineMemory(root_); }
  int threads() const { return MachineThreads(root_); }

  static constexpr int64_t kPhysical = int64_t{16000000} << 10;
};

TEST_F(Machine, IsTakenWholeWithoutControlGroups) {
  EXPECT_EQ(memory(), kPhysical);
  EXPECT_EQ(threads(), 9);
  Version2("/user.slice");
  EXPECT_EQ(memory(), kPhysical);
  EXPECT_EQ(threads(), 9);
}

TEST_F(Machine, IsBoundByTheLeastOfNestedGroups) {
  Version2("/kubepods/pod1/main");
  Write("sys/fs/cgroup/kubepods/memory.max", "8000000000\n");
  Write("sys/fs/cgroup/kubepods/pod1/memory.max", "3000000000\n");
  Write("sys/fs/cgroup/kubepods/pod1/main/memory.max", "max\n");
  Write("sys/fs/cgroup/kubepods/cpu.max", "650000 100000\n");
  Write("sys/fs/cgroup/kubepods/pod1/cpu.max", "250000 100000\n");
  Write("sys/fs/cgroup/kubepods/pod1/main/cpu.max", "max 100000\n");
  EXPECT_EQ(memory(), 3000000000);
  EXPECT_EQ(threads(), 3);  // 2.5 of them
  Write("sys/fs/cgroup/kubepods/pod1/main/memory.high", "2000000000\n");
  EXPECT_EQ(memory(), 2000000000);
}

TEST_F(Machine, OfAContainerIsThatOfItsRoot) {
  // The container sees its own group as the root, whether its path is one of the host or not.
  for (const char* mounted : {"/", "/docker/abc"}) {
    Version2(mounted, mounted);
    Write("sys/fs/cgroup/memory.max", "1000000000\n");
    Write("sys/fs/cgroup/cpu.max", "100000 100000\n");
    EXPECT_EQ(memory(), 1000000000);
    EXPECT_EQ(threads(), 1);
  }
  for (const char* elsewhere : {"/../../other", "/not/there"}) {
    Version2(elsewhere);
    EXPECT_EQ(memory(), 1000000000);
    EXPECT_EQ(threads(), 1);
  }
}

TEST_F(Machine, IsBoundByVersionOne) {
  Version1("/slurm/job_7", "/");
  Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  Write("sys/fs/cgroup/memory/slurm/job_7/memory.limit_in_bytes", "9223372036854771712\n");
  Write("sys/fs/cgroup/memory/slurm/job_7/memory.stat", "cache 0\nhierarchical_memory_limit 5000000000\ntotal_rss 1\n");
  Write("sys/fs/cgroup/cpu,cpuacct/slurm/job_7/cpu.cfs_quota_us", "-1\n");
  Write("sys/fs/cgroup/cpu,cpuacct/slurm/job_7/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(memory(), 5000000000);
  EXPECT_EQ(threads(), 9);
  Write("sys/fs/cgroup/memory/slurm/memory.limit_in_bytes", "4000000000\n");
  Write("sys/fs/cgroup/cpu,cpuacct/slurm/cpu.cfs_quota_us", "400001\n");
  Write("sys/fs/cgroup/cpu,cpuacct/slurm/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(memory(), 4000000000);
  EXPECT_EQ(threads(), 5);
}

// Version 1 for some controllers and an empty version 2 beside it, as systemd mounts them.
TEST_F(Machine, IsBoundByBothVersions) {
  Write("proc/self/cgroup", "4:memory:/a\n0::/b\n");
  Write("proc/self/mountinfo",
        "32 22 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        "33 22 0:32 / /sys/fs/cgroup/uni\\040fied rw - cgroup2 cgroup2 rw\n");
  Write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "6000000000\n");
  Write("sys/fs/cgroup/uni fied/b/cpu.max", "10000 100000\n");
  EXPECT_EQ(memory(), 6000000000);
  EXPECT_EQ(threads(), 1);
}

TEST_F(Machine, HasAtLeastAProcessor) {
  Write("proc/self/status", "Cpus_allowed_list:\t17\n");
  EXPECT_EQ(threads(), 1);
  EXPECT_GE(MachineThreads(), 1);
  EXPECT_GT(MachineMemory(), int64_t{1} << 20);
}

}  // namespace
}  // namespace uzushio
