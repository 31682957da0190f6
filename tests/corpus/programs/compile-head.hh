// SPDX-License-Identifier: GPL-2.0-or-later
// The top of the source that compile-source generates: much of the standard library.
#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <chrono>
#include <complex>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <list>
#include <locale>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <valarray>
#include <variant>
#include <vector>

// Unrolled at compile time, so that each size is a function of its own for the optimizer.
template <class Real, std::size_t Rows, std::size_t Columns> struct Matrix {
	std::array<std::array<Real, Columns>, Rows> cell{};

	template <std::size_t Other>
	Matrix<Real, Rows, Other> operator*(const Matrix<Real, Columns, Other> &right) const
	{
		Matrix<Real, Rows, Other> product;
		for (std::size_t r = 0; r < Rows; r++)
			for (std::size_t c = 0; c < Other; c++)
				for (std::size_t k = 0; k < Columns; k++)
					product.cell[r][c] += cell[r][k] * right.cell[k][c];
		return product;
	}

	Matrix<Real, Columns, Rows> transposed() const
	{
		Matrix<Real, Columns, Rows> result;
		for (std::size_t r = 0; r < Rows; r++)
			for (std::size_t c = 0; c < Columns; c++)
				result.cell[c][r] = cell[r][c];
		return result;
	}
};

template <class Key, class Value, class Hash = std::hash<Key>> class RecentlyUsed {
	std::list<std::pair<Key, Value>> order;
	std::unordered_map<Key, typename std::list<std::pair<Key, Value>>::iterator, Hash> place;
	std::size_t capacity;

public:
	explicit RecentlyUsed(std::size_t n) : capacity(n)
	{
	}

	std::optional<Value> find(const Key &key)
	{
		auto at = place.find(key);
		if (at == place.end())
			return std::nullopt;
		order.splice(order.begin(), order, at->second);
		return at->second->second;
	}

	void insert(const Key &key, Value value)
	{
		if (order.size() == capacity) {
			place.erase(order.back().first);
			order.pop_back();
		}
		order.emplace_front(key, std::move(value));
		place[key] = order.begin();
	}
};

template <class... Cases> struct Overloaded : Cases... {
	using Cases::operator()...;
};
template <class... Cases> Overloaded(Cases...) -> Overloaded<Cases...>;
