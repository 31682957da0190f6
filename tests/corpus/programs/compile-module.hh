// One module of a made-up warehouse program; compile-source writes it many times with @N@ replaced.
namespace module@N@ {

struct Part@N@ {
	std::string name, supplier;
	double price = 0;
	long stock = 0;
	std::vector<std::string> labels;
	auto key() const { return std::tie(supplier, name, price); }
	bool operator<(const Part@N@ &other) const { return key() < other.key(); }
	bool operator==(const Part@N@ &other) const { return key() == other.key(); }
};

struct PartHash@N@ {
	std::size_t operator()(const Part@N@ &part) const
	{
		return std::hash<std::string>()(part.name) * 31 + std::hash<std::string>()(part.supplier) + @N@;
	}
};

struct Delivery@N@ { std::string from; long amount; };
struct Order@N@ { std::string customer; std::map<std::string, long> amounts; };
struct Inspection@N@ { std::chrono::seconds since; std::vector<double> readings; };
using Event@N@ = std::variant<Delivery@N@, Order@N@, Inspection@N@, std::string>;

class Warehouse@N@ {
	std::map<std::string, Part@N@> parts;
	std::multimap<double, std::string> by_price;
	std::unordered_set<Part@N@, PartHash@N@> known;
	std::unordered_map<std::string, std::set<Part@N@>> by_supplier;
	std::priority_queue<std::pair<long, std::string>> urgent;
	RecentlyUsed<std::string, Part@N@> recent{@N@ + 64};
	mutable std::mutex lock;

public:
	void load(std::istream &in)
	{
		static const std::regex line_form("\\s*(\\w+)\\s*[:=]\\s*([\\w.]+)\\s*(?:;(.*))?");
		std::string line;
		std::smatch match;
		while (std::getline(in, line)) {
			if (!std::regex_match(line, match, line_form))
				throw std::runtime_error("module @N@: bad line: " + line);
			Part@N@ part{match[1].str(), match[3].str(), std::stod(match[2].str()), @N@, {}};
			std::istringstream words(match[3].str());
			std::copy(std::istream_iterator<std::string>(words), {}, std::back_inserter(part.labels));
			std::lock_guard<std::mutex> hold(lock);
			by_price.emplace(part.price, part.name);
			by_supplier[part.supplier].insert(part);
			known.insert(part);
			recent.insert(part.name, part);
			parts[part.name] = std::move(part);
		}
	}

	long apply(const Event@N@ &event)
	{
		return std::visit(Overloaded{
			[this](const Delivery@N@ &d) {
				long total = 0;
				for (auto &[name, part] : parts)
					if (part.supplier == d.from)
						total += part.stock += d.amount;
				return total;
			},
			[this](const Order@N@ &o) {
				return std::accumulate(o.amounts.begin(), o.amounts.end(), 0L, [this](long sum, const auto &item) {
					auto at = parts.find(item.first);
					if (at == parts.end() || at->second.stock < item.second) {
						urgent.emplace(item.second, item.first);
						return sum;
					}
					at->second.stock -= item.second;
					return sum + item.second;
				});
			},
			[](const Inspection@N@ &i) {
				std::vector<double> sorted(i.readings);
				std::sort(sorted.begin(), sorted.end(), std::greater<>());
				auto middle = std::partition(sorted.begin(), sorted.end(), [](double r) { return r > @N@; });
				std::stable_sort(middle, sorted.end());
				return static_cast<long>(std::distance(sorted.begin(), middle) + i.since.count());
			},
			[](const std::string &note) { return static_cast<long>(note.size()); },
		}, event);
	}

	std::vector<Part@N@> search(std::function<bool(const Part@N@ &)> wanted, std::size_t most) const
	{
		std::vector<Part@N@> found;
		std::lock_guard<std::mutex> hold(lock);
		for (const auto &[name, part] : parts)
			if (wanted(part))
				found.push_back(part);
		std::partial_sort(found.begin(), found.begin() + std::min(most, found.size()), found.end());
		found.erase(std::unique(found.begin(), found.end()), found.end());
		found.resize(std::min(most, found.size()));
		return found;
	}

	void report(std::ostream &out) const
	{
		for (auto [low, high] = by_price.equal_range(@N@); low != high; ++low)
			out << std::setw(24) << std::left << low->second << std::fixed << std::setprecision(2) << low->first << '\n';
		for (const auto &[supplier, list] : by_supplier)
			for (const auto &part : list)
				out << std::quoted(supplier) << ' ' << part.name << ' ' << part.stock << '\n';
	}
};

template <std::size_t Size> double solve(std::mt19937 &random)
{
	Matrix<double, Size, Size + @N@ % 5 + 1> left;
	std::normal_distribution<double> noise(@N@, 1.5);
	for (auto &row : left.cell)
		std::generate(row.begin(), row.end(), [&] { return noise(random); });
	auto square = left * left.transposed();
	std::complex<double> trace = 0;
	for (std::size_t i = 0; i < Size; i++)
		trace += std::polar(square.cell[i][i], static_cast<double>(i));
	if constexpr (Size > 2)
		return std::abs(trace) + solve<Size - 1>(random);
	else
		return std::abs(trace);
}

long run(const std::filesystem::path &folder)
{
	Warehouse@N@ warehouse;
	std::mt19937 random(@N@);
	std::vector<std::future<long>> jobs;
	for (const auto &entry : std::filesystem::directory_iterator(folder)) {
		std::ifstream in(entry.path());
		warehouse.load(in);
		jobs.push_back(std::async(std::launch::async, [&warehouse, name = entry.path().string()] {
			return warehouse.apply(Delivery@N@{name, @N@});
		}));
	}
	long total = static_cast<long>(solve<4 + @N@ % 4>(random));
	for (auto &job : jobs)
		total += job.get();
	warehouse.report(std::cout);
	return total + warehouse.search([](const Part@N@ &p) { return p.stock > @N@; }, 10).size();
}

} // namespace module@N@
