"""Held-out log-likelihood of the default fit beside latent classes (StepMix), independent columns and visible pairs.

    python bench/questionnaires.py LATENTROPY DATA_DIR [--old OLD_LATENTROPY] [NAME ...]

Five outer folds, the same for all: each method sees four of them, makes all its choices there (latentropy by its own
inner folds, StepMix its number of classes by five inner folds and the one-standard-error rule), and is scored on the
fifth, cells that are missing summed out. Prints one Markdown row per data set: means per row, and paired differences
to the default fit with their standard errors. Needs numpy and stepmix; DATA_DIR is the folder of data files.
"""
import csv, json, math, subprocess, sys, tempfile, time, warnings
from pathlib import Path
import numpy as np

warnings.filterwarnings("ignore")
FOLDS, MOST_CLASSES = 5, 6


def table(path, drop=(), header=True, skip=0, yes="1"):
    rows = list(csv.reader(open(path)))[skip:]
    if header:
        rows = rows[1:]
    out = []
    for row in rows:
        cells = [c for i, c in enumerate(row) if i not in drop]
        if any(cells):
            value = lambda c: np.nan if c in ("", "NA", "?", "NaN") else float(c in ("1", "y", "yes"))
            out.append([value(c) for c in cells])
    table = np.array(out)
    return table[~np.isnan(table).all(axis=1)]


def sets(folder):
    small = folder / "small"
    spikes = np.load(small / "maxent_toolbox_spikes15.npz")["X"]
    pick = np.random.default_rng(0).choice(len(spikes), 1000, replace=False)
    yield "blot", lambda: table(folder / "items/blot.csv")
    yield "ability", lambda: table(small / "pydataset_ability.csv", drop=(0,))
    yield "SupremeCourt", lambda: table(small / "pydataset_SupremeCourt.csv", drop=(0,))
    yield "Davis women", lambda: table(small / "davis_women_18x14.csv", header=False)
    yield "votes", lambda: table(small / "house-votes-84.csv", drop=(0,), header=False)
    yield "SPECT", lambda: np.vstack([table(small / f"SPECT.{p}", drop=(0,), header=False, skip=1) for p in ("train", "test")])
    yield "spikes (1000 rows)", lambda: spikes[pick].astype(float)


def write(path, rows):
    with open(path, "w") as file:
        file.write(",".join(f"y{i + 1}" for i in range(rows.shape[1])) + "\n")
        for row in rows:
            file.write(",".join("" if math.isnan(v) else str(int(v)) for v in row) + "\n")


def fitted(program, train, test, flags, folder):
    """Log-likelihood of each test row under what `fit` learns from the training rows, and the machine's name."""
    write(folder / "train.csv", train)
    write(folder / "test.csv", test)
    run = [program, "fit", folder / "train.csv", "--json", "--quiet", *flags]
    found = subprocess.run(run, capture_output=True, text=True)
    if found.returncode:
        raise RuntimeError(found.stderr)
    found = json.loads(found.stdout)
    (folder / "model.json").write_text(json.dumps(found["model"]))
    scored = subprocess.run([program, "score", folder / "model.json", folder / "test.csv", "--per-row"], capture_output=True, text=True)
    scored = [row["log_likelihood"] for row in csv.DictReader(scored.stdout.splitlines())]
    chosen = [e for e in found.get("comparison", {}).get("table", []) if e["chosen"]]
    name = f"{chosen[0]['shape']} {chosen[0]['hidden']}" if chosen else ""
    return np.array(scored, dtype=float), name


def class_scores(weights, pis, rows):
    with np.errstate(divide="ignore"):
        on, off = np.log(pis), np.log1p(-pis)
    known = ~np.isnan(rows)
    ones = np.where(known, np.nan_to_num(rows), 0.0)
    zeros = np.where(known, 1.0 - np.nan_to_num(rows), 0.0)
    joint = np.log(weights) + ones @ on.T + zeros @ off.T
    top = joint.max(axis=1, keepdims=True)
    return (top + np.log(np.exp(joint - top).sum(axis=1, keepdims=True))).ravel()


def classes(train, test, count):
    from stepmix import StepMix
    model = StepMix(n_components=count, measurement="binary_nan", n_init=5, random_state=0, max_iter=2000, abs_tol=1e-9, verbose=0, progress_bar=0)
    model.fit(train)
    parameters = model.get_parameters()
    # As StepMix itself scores: probabilities are kept a hair away from 0 and 1.
    pis = np.clip(np.asarray(parameters["measurement"]["pis"]).reshape(count, -1), 1e-15, 1 - 1e-15)
    return class_scores(np.asarray(parameters["weights"]), pis, test)


def chosen_classes(train, test, seed):
    order = np.random.default_rng(seed).permutation(len(train)) % FOLDS
    scores = []
    for count in range(1, MOST_CLASSES + 1):
        rows = np.empty(len(train))
        for fold in range(FOLDS):
            rows[order == fold] = classes(train[order != fold], train[order == fold], count)
        scores.append(rows)
    best = max(scores, key=np.mean)
    for count, rows in enumerate(scores, 1):
        behind = best - rows
        if behind.mean() <= behind.std(ddof=1) / math.sqrt(len(rows)) + 1e-12:
            return classes(train, test, count), count


def main():
    arguments = sys.argv[1:]
    old = None
    if "--old" in arguments:
        at = arguments.index("--old")
        old = arguments[at + 1]
        del arguments[at : at + 2]
    program, folder, *names = arguments
    print("| data | rows × columns | default fit | chosen | latent classes | classes | independent | visible pairs | old |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, load in sets(Path(folder)):
        if names and name not in names:
            continue
        data = load()
        fold_of = np.random.default_rng(1).permutation(len(data)) % FOLDS
        scores = {}
        notes = {"default": [], "classes": []}
        with tempfile.TemporaryDirectory() as place:
            place = Path(place)
            for fold in range(FOLDS):
                train, test = data[fold_of != fold], data[fold_of == fold]

                def put(method, rows):
                    scores.setdefault(method, np.empty(len(data)))[fold_of == fold] = rows

                rows, note = fitted(program, train, test, [], place)
                put("default", rows)
                notes["default"].append(note)
                rows, count = chosen_classes(train, test, fold)
                put("classes", rows)
                notes["classes"].append(str(count))
                put("independent", fitted(program, train, test, ["--shape", "independent"], place)[0])
                if data.shape[1] <= 24:
                    put("visible", fitted(program, train, test, ["--shape", "visible"], place)[0])
                if old:
                    shape = ["--shape", "rbm"] if data.shape[1] > 20 else []
                    put("old", fitted(old, train, test, ["--hidden", "0..3", "--restarts", "20", *shape], place)[0])
        base = scores["default"]

        def cell(method):
            if method not in scores:
                return "–"
            behind = base - scores[method]
            return f"{scores[method].mean():.3f} ({behind.mean():+.3f} ± {behind.std(ddof=1) / math.sqrt(len(behind)):.3f})"

        print(f"| {name} | {data.shape[0]} × {data.shape[1]} | {base.mean():.3f} | {', '.join(notes['default'])} | {cell('classes')} | {', '.join(notes['classes'])} | {cell('independent')} | {cell('visible')} | {cell('old')} |", flush=True)


if __name__ == "__main__":
    main()
