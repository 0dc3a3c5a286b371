import assert from "node:assert/strict";
import { test } from "node:test";
import { packedCsv, unpackedCsv } from "./packed-csv.ts";

const CSV = `ms,service,cpu_seconds,socket_bytes
0.5,nginx,0.618102060,
0.6,echo,5e-7,4096
250.1,nginx,0.75,12
250.2,echo,1795378185100.25,4095
500,nginx,0.75,
`;

test("readings of one thing stand one after the other, each as what it is more than the one before", () => {
  assert.deepEqual(packedCsv("ms,service,bytes\n10,a,5\n11,b,7\n20.5,a,3\n").split("\n"), [
    "ms,=service,bytes",
    "=a",
    "1:100,105",
    "0:5,-2",
    "=b",
    "0:11",
    "0:7",
    "",
  ]);
});

test("nothing is lost but the order between things", () => {
  const without = CSV.replace("1795378185100.25", "3");
  const [header, ...rows] = unpackedCsv(packedCsv(without)).trimEnd().split("\n");
  assert.equal(header, "ms,service,cpu_seconds,socket_bytes");
  assert.deepEqual(rows, [
    "0.5,nginx,0.61810206,",
    "250.1,nginx,0.75,12",
    "500,nginx,0.75,",
    "0.6,echo,5e-7,4096",
    "250.2,echo,3,4095",
  ]);
});

test("several columns may tell things apart, or none; there may be no readings", () => {
  const several = "ms,service,series,value\n1,a,cpu,2\n1,a,memory,3\n2,a,cpu,4\n";
  assert.equal(
    unpackedCsv(packedCsv(several)),
    "ms,service,series,value\n1,a,cpu,2\n2,a,cpu,4\n1,a,memory,3\n",
  );
  for (const csv of ["ms,value\n1,2\n3,4\n", "ms,value\n"])
    assert.equal(unpackedCsv(packedCsv(csv)), csv);
});

test("more digits than a number holds are refused", () => {
  assert.throws(() => packedCsv(CSV), /1795378185100\.25 has too many digits to be packed/);
});
