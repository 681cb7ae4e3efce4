import { type SafeText, safe } from "../../../../base/safe-text.ts";

// Not in .md files: the build joins the lines of those.

export const markdownFormat: SafeText = safe`# A short name for the work

- [ ] T001 Title in the imperative
      What to do, in one to three sentences. Files: src/a.ts, test/a.test.ts
  - an acceptance criterion
  - another one
- [ ] T002 Title of the next task (depends on T001)
      What to do. Files: src/b.ts
  - an acceptance criterion`;

export const yamlFormat: SafeText = safe`tasks:
  - id: T001
    title: Title in the imperative
    description: |
      What to do, in one to three sentences.
    acceptance_criteria:
      - an acceptance criterion
    files: [src/a.ts, test/a.test.ts]
  - id: T002
    title: Title of the next task
    description: |
      What to do.
    acceptance_criteria:
      - an acceptance criterion
    files: [src/b.ts]
    depends_on: [T001]
    # Only where another command judges this task better; it replaces the verification above.
    verification: npm test -- b`;
