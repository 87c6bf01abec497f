// cuFFT: plans are numbers; transforms compute nothing.
#include <cufftXt.h>

#include "verifier/emulator/device/profile.h"
#include "verifier/emulator/device/report.h"

cufftResult cufftCreate(cufftHandle* plan) {
  static int last;
  if (emu_profile() == NULL) return CUFFT_SETUP_FAILED;
  *plan = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
  return CUFFT_SUCCESS;
}

cufftResult cufftGetVersion(int* version) {
  *version = CUFFT_VERSION;
  return CUFFT_SUCCESS;
}

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int* n,
                                long long int* inembed, long long int istride, long long int idist,
                                cudaDataType input_type, long long int* onembed,
                                long long int ostride, long long int odist,
                                cudaDataType output_type, long long int batch, size_t* work_bytes,
                                cudaDataType execution_type) {
  static EmuEntry workspace = {"cuFFT plan workspace", 0};
  (void)plan, (void)rank, (void)n, (void)inembed, (void)istride, (void)idist, (void)input_type,
      (void)onembed;
  (void)ostride, (void)odist, (void)output_type, (void)batch, (void)execution_type;
  emu_unknown_size(&workspace);
  if (work_bytes != NULL) *work_bytes = 0;
  return CUFFT_SUCCESS;
}
