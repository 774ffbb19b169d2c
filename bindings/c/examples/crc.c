// Computes CRCs: common ones by name, others by a handle, custom ones by their parameters. Prints:
//   crc-32c     e3069283
//   crc-32      cbf43926
//   crc-64/nvme ae8b14860a799888
//   modbus      4b37, lowest byte first
//   my own      037c
#include <residue.h>

#include <inttypes.h>
#include <stdio.h>

int main(void) {
    const char data[] = "123456789";
    uint64_t value;
    printf("crc-32c     %08" PRIx32 "\n", residue_crc32c(data, 9));
    printf("crc-32      %08" PRIx32 "\n", residue_crc32(data, 9));
    printf("crc-64/nvme %016" PRIx64 "\n", residue_crc64_nvme(data, 9));

    residue_code *modbus = residue_code_new("crc-16/modbus");
    if (!modbus || residue_value(modbus, data, 9, &value) != RESIDUE_OK) {
        fprintf(stderr, "%s\n", residue_last_error());
        return 1;
    }
    printf("modbus      %04" PRIx64 ", %s byte first\n", value,
           residue_code_little_endian(modbus) ? "lowest" : "highest");
    residue_code_free(modbus);

    residue_code *own =
        residue_code_new("width=12,poly=80f,init=fff,refin=false,refout=false,xorout=0");
    if (!own || residue_value(own, data, 9, &value) != RESIDUE_OK) {
        fprintf(stderr, "%s\n", residue_last_error());
        return 1;
    }
    printf("my own      %04" PRIx64 "\n", value);
    residue_code_free(own);
    return 0;
}
