import { join } from "node:path";
import { openStore } from "../../src/store/open-store.ts";
import { testStoreDriver } from "./test-store-driver.ts";

testStoreDriver({
  name: "sqlite",
  open: (folder, options) => openStore({ path: join(folder, "progress.db"), ...options }),
});
