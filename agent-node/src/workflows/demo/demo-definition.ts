/**
 * The built-in workflow `demo`, as a workflow file. Kept as a string because compiler, test runner and bundler take a
 * module alike. Every role is a script that calls the program made from `tool/`; the engine sets UWF_NODE, UWF_BUILTINS
 * and UWF_STEPS_FILE, where a role reads what those before it have found.
 */
export const demoDefinition = `# A look at the git repository around the workspace, without any model: what is in it, where the work happens,
# what is wrong with it. Reads only; never runs anything of the repository.
name: demo
description: Surveys a git repository, reads its history, checks its files and reports what to look at first.
maxSteps: 20

roles:
  survey:
    description: Counts files, languages and lines of the repository.
    timeout: 2m
    run: exec "$UWF_NODE" "$UWF_BUILTINS/demo.js" survey
    frontmatter:
      oneOf:
        - type: object
          required: [$status, repository, branch, files, lines, bytes, language, languages, largest, workingTree, leftOut]
          additionalProperties: false
          properties:
            $status: { const: surveyed }
            repository: { type: string, description: Name of its directory. }
            branch: { type: [string, "null"], description: "Null: a detached HEAD." }
            files: { type: integer, minimum: 0, description: Tracked files. }
            lines: { type: integer, minimum: 0, description: Lines of text in them. }
            bytes: { type: integer, minimum: 0 }
            language: { type: string, description: The one with the most lines. }
            languages: { type: object, additionalProperties: { type: integer, minimum: 0 }, description: Lines by language. }
            largest:
              type: array
              items:
                type: object
                required: [name, bytes]
                properties: { name: { type: string }, bytes: { type: integer, minimum: 0 } }
            workingTree: { type: string, description: Its state in a few words. }
            leftOut: { type: array, items: { type: string }, description: What was not examined and why. }
        - type: object
          required: [$status, why]
          properties:
            $status: { enum: [no-git, not-a-repository, no-commits, unreadable] }
            why: { type: string }
        - type: object
          required: [$status]
          properties:
            $status: { const: failed }
            why: { type: string }

  history:
    description: Reads the last year of commits for the files that change most.
    timeout: 2m
    run: exec "$UWF_NODE" "$UWF_BUILTINS/demo.js" history
    frontmatter:
      oneOf:
        - type: object
          required: [$status, commits, authors, from, to, allCommits, began, hottest, hot, directories, leftOut]
          additionalProperties: false
          properties:
            $status: { const: read }
            commits: { type: integer, minimum: 0, description: Those of the last year. }
            authors: { type: integer, minimum: 0 }
            from: { type: string, description: Day of the oldest of them. }
            to: { type: string, description: Day of the newest. }
            allCommits: { type: [integer, "null"], description: "Of the branch; null: too many to count." }
            began: { type: [string, "null"], description: Day of the very first. }
            hottest: { type: string, description: The file with the most changes × lines. }
            hot:
              type: array
              items:
                type: object
                required: [name, changes, lines, authors]
                properties:
                  name: { type: string }
                  changes: { type: integer, minimum: 0 }
                  lines: { type: integer, minimum: 0 }
                  authors: { type: integer, minimum: 0 }
            directories:
              type: array
              items:
                type: object
                required: [name, changes]
                properties: { name: { type: string }, changes: { type: integer, minimum: 0 } }
            leftOut: { type: array, items: { type: string } }
        - type: object
          required: [$status]
          properties:
            $status: { const: failed }
            why: { type: string }

  checks:
    description: Checks files without running them; at first the counts, then the details that triage asks for.
    timeout: 2m
    # The flag lets Node parse JavaScript modules without running them.
    run: exec "$UWF_NODE" --experimental-vm-modules --no-warnings "$UWF_BUILTINS/demo.js" checks
    frontmatter:
      oneOf:
        - type: object
          required: [$status, found, samples, findings, sampleFindings, looked, leftOut]
          additionalProperties: false
          properties:
            $status: { enum: [ok, findings] }
            found: { type: integer, minimum: 0 }
            samples: { type: integer, minimum: 0, description: Findings among tests and samples. }
            findings: { type: object, additionalProperties: { type: integer, minimum: 1 }, description: By check. }
            sampleFindings: { type: object, additionalProperties: { type: integer, minimum: 1 } }
            looked: { type: object, additionalProperties: { type: integer, minimum: 1 }, description: What each check examined. }
            leftOut: { type: array, items: { type: string } }
        - type: object
          required: [$status, round, focus, examples]
          additionalProperties: false
          properties:
            $status: { const: detailed }
            round: { type: integer, minimum: 1 }
            focus: { type: array, minItems: 1, items: { type: string } }
            examples:
              type: object
              description: The first findings by check; all are in the answer.
              additionalProperties: { type: array, items: { type: string } }
        - type: object
          required: [$status]
          properties:
            $status: { const: failed }
            why: { type: string }

  triage:
    description: Decides what is worst and sends it back for a closer look, at most four times.
    timeout: 1m
    run: exec "$UWF_NODE" "$UWF_BUILTINS/demo.js" triage
    frontmatter:
      oneOf:
        - type: object
          required: [$status, round, focus]
          additionalProperties: false
          properties:
            $status: { const: look-closer }
            round: { type: integer, minimum: 1 }
            focus: { type: array, minItems: 1, items: { type: string }, description: "Checks, the worst first." }
        - type: object
          required: [$status, rounds]
          additionalProperties: false
          properties:
            $status: { const: settled }
            rounds: { type: integer, minimum: 0 }
        - type: object
          required: [$status]
          properties:
            $status: { const: failed }
            why: { type: string }

  report:
    description: Writes the report from what the others have found.
    timeout: 1m
    run: exec "$UWF_NODE" "$UWF_BUILTINS/demo.js" report
    # No status for its own failure: then the thread fails where it is, and can be retried.
    frontmatter:
      oneOf:
        - type: object
          required: [$status, headline, repository, files, lines, commits, findings]
          properties:
            $status: { enum: [done, incomplete] }
            headline: { type: string }
            repository: { type: string }
            files: { type: integer, minimum: 0 }
            lines: { type: integer, minimum: 0 }
            commits: { type: integer, minimum: 0 }
            findings: { type: integer, minimum: 0 }
        - type: object
          required: [$status, headline]
          properties:
            $status: { const: nothing }
            headline: { type: string }

graph:
  $START:
    _: { role: survey, prompt: Survey the git repository around the workspace. }
  survey:
    surveyed:
      role: history
      prompt: "Find where the work happens in {{{repository}}} ({{{files}}} files, {{{lines}}} lines, mostly {{{language}}})."
    not-a-repository: { role: report, prompt: "Explain what to do: {{{why}}}." }
    no-git: { role: report, prompt: "Explain what to do: {{{why}}}." }
    no-commits: { role: report, prompt: "Explain what to do: {{{why}}}." }
    unreadable: { role: report, prompt: "Explain what to do: {{{why}}}." }
    failed: { role: report, prompt: Say that the survey could not be finished. }
  history:
    read:
      role: checks
      prompt: "Check the files quickly, counts only. {{{commits}}} commits by {{{authors}}} authors were read; the hottest file is {{{hottest}}}."
    failed: { role: checks, prompt: "Check the files quickly, counts only; the history could not be read." }
  checks:
    ok: { role: report, prompt: "Report; the checks found nothing wrong." }
    findings: { role: triage, prompt: "Decide what needs a closer look: {{{found}}} findings, {{{samples}}} more among tests and samples." }
    detailed: { role: triage, prompt: "Go on from round {{{round}}}: what was asked for is there." }
    failed: { role: report, prompt: "Report what is known; the checks could not be finished." }
  triage:
    look-closer: { role: checks, prompt: "Give file and line of each finding, round {{{round}}}:{{#focus}} {{{.}}}{{/focus}}." }
    settled: { role: report, prompt: "Report; {{{rounds}}} closer looks were taken." }
    failed: { role: report, prompt: "Report what is known; triage could not be finished." }
  report:
    done: { role: $END, prompt: "{{{headline}}}" }
    incomplete: { role: $END, prompt: "{{{headline}}}" }
    nothing: { role: $END, prompt: "{{{headline}}}" }
`;
